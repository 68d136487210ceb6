-- One caller of a job leaves it. Requests that joined a job share it: it goes on until as many have left as made or
-- joined it. The last one cancels it: at once while it waits, by its worker while it runs. After the end of the job,
-- or once it is being cancelled, nothing changes.
-- KEYS[1] root   ARGV: id, account, token of this call, record ttl ms
-- Sending the same call again, after a lost connection, lets nobody else leave.
-- Answers 'shared': it goes on for others; else the status it had: 'queued' (now canceled), 'processing' (asked to
-- stop), that of its end, or '' when the account has no such job.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'status', 'account', 'cancel_requested')
local status = job[1]
if not status or job[2] ~= ARGV[2] then return '' end
if status ~= 'queued' and status ~= 'processing' then return status end
if job[3] ~= '1' then
  local left = root .. ':left:' .. id
  redis.call('SADD', left, ARGV[3])
  if redis.call('SCARD', left) < redis.call('SCARD', root .. ':holders:' .. id) then return 'shared' end
end
if status == 'queued' then
  end_job(root, id, 'canceled', 0, { record_ttl_ms = ARGV[4] })
else
  redis.call('HSET', job_key(root, id), 'cancel_requested', '1')
  announce(root, id, 'cancel')
end
return status
