-- Handles the jobs that are due. A queued job must be in Bull: it is answered, and becomes due again until a worker
-- takes it, so a crash between any two steps only delays it. A running job is due when its lease has ended without a
-- heartbeat: its worker is lost, and it is queued again or, after too many attempts, failed with its credits released.
-- When this script was not called for half a lease, Redis probably stopped, and no heartbeat could arrive either: every
-- running job then gets a new lease.
-- KEYS[1] root   ARGV: most jobs to handle, ms until a queued job is due again, most attempts, running limit,
--                      record ttl ms, lease ms
-- Answers {{id, dispatch} of jobs to be given to Bull ...}, {id of jobs that ended ...}
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, now = KEYS[1], now_ms()
local settings = { running_limit = tonumber(ARGV[4]), record_ttl_ms = ARGV[5] }
local lease = tonumber(ARGV[6])
local deliver, ended = {}, {}
local looked = tonumber(redis.call('GETSET', root .. ':looked', now) or now)
if now - looked > lease / 2 then
  redis.call('SET', root .. ':stood-still', '1', 'PX', 2 * lease)
  for _, id in ipairs(redis.call('SMEMBERS', root .. ':processing')) do
    redis.call('ZADD', root .. ':due', 'XX', 'GT', now + lease, id)
  end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', root .. ':due', '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local job = job_fields(root, id, 'status', 'dispatch', 'attempts', 'account', 'created_at', 'cancel_requested')
  if job[1] == 'queued' then
    redis.call('ZADD', root .. ':due', now + ARGV[2], id)
    deliver[#deliver + 1] = { id, whole(job[2]) }
  elseif job[1] ~= 'processing' then
    redis.call('ZREM', root .. ':due', id)
  elseif job[6] == '1' then
    end_job(root, id, 'canceled', 0, settings)
    ended[#ended + 1] = id
  else
    local lost = lose(root, id)
    if whole(job[3]) >= tonumber(ARGV[3]) then
      fail_lost(root, id, lost, settings)
      ended[#ended + 1] = id
    else
      deliver[#deliver + 1] = { id, put_back(root, id, job[4], job[5], now + ARGV[2]) }
    end
  end
end
return { deliver, ended }
