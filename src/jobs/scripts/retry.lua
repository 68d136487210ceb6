-- Puts a job back into the queue for another attempt, if this attempt still owns it. Its credits stay held.
-- KEYS[1] root   ARGV: id, fence, delay ms, counts (1: the attempt counts towards the bound; 0: it does not),
--                      since when a model or disk space is missing (ms; '': none is), record ttl ms
-- Answers 'queued', 'canceled' or 'lost'.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'status', 'fence', 'cancel_requested', 'account', 'created_at')
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
if job[3] == '1' then
  end_job(root, id, 'canceled', 0, { record_ttl_ms = ARGV[6] })
  return 'canceled'
end
if ARGV[4] == '0' then add(root, id, 'attempts', -1) end
if ARGV[5] ~= '' then redis.call('HSET', job_key(root, id), 'away_since', ARGV[5], 'away_at', now_ms()) end
local delay = tonumber(ARGV[3])
put_back(root, id, job[4], job[5], delay > 0 and now_ms() + delay or nil)
return 'queued'
