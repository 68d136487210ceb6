-- Cancels a job: at once while it waits, by its worker while it runs. Again, or after its end, changes nothing.
-- KEYS[1] root   ARGV: id, account, running limit, record ttl ms
-- Answers the status it had: 'queued' (now canceled), 'processing' (asked to stop), that of its end, or '' when
-- the account has no such job.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'status', 'account')
if not job[1] or job[2] ~= ARGV[2] then return '' end
if job[1] == 'queued' then
  end_job(root, id, 'canceled', 0, { running_limit = tonumber(ARGV[3]), record_ttl_ms = ARGV[4] })
elseif job[1] == 'processing' then
  redis.call('HSET', job_key(root, id), 'cancel_requested', '1')
  announce(root, id, 'cancel')
end
return job[1]
