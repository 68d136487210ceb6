-- The heartbeat of a running attempt: renews its lease and records its progress. Webhooks get it every 2 s at most.
-- KEYS[1] root   ARGV: id, fence, lease ms, progress (JSON, or '' for none)
-- Answers 'on'; 'cancel': the job is being cancelled; 'lost': the job belongs to another attempt or has ended, stop.
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'status', 'fence', 'cancel_requested', 'account')
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
redis.call('ZADD', root .. ':due', now_ms() + ARGV[3], id)
if ARGV[4] ~= '' then
  redis.call('HSET', job_key(root, id), 'progress', ARGV[4])
  announce(root, id, 'progress')
  if redis.call('SET', root .. ':progress-told:' .. id, '1', 'NX', 'PX', 2000) then
    tell(root, now_ms(), id, job[4] or '', 'job.progress')
  end
end
return job[3] == '1' and 'cancel' or 'on'
