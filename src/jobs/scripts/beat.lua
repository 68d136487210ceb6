-- A running attempt says that it lives, and how far it is.
-- KEYS[1] root   ARGV: id, fence, lease ms, progress (JSON, or '' for none)
-- Answers 'on'; 'cancel': the caller wants it stopped; 'lost': the attempt is no longer the job's, and must stop.
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'status', 'fence', 'cancel_requested')
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
redis.call('ZADD', root .. ':due', now_ms() + ARGV[3], id)
if ARGV[4] ~= '' then
  redis.call('HSET', job_key(root, id), 'progress', ARGV[4])
  announce(root, id, 'progress')
end
return job[3] == '1' and 'cancel' or 'on'
