-- Looks at the jobs whose time has come. A queued one must be in Bull: it is answered, and looked at again until a
-- worker takes it, so a crash between any two steps only delays it. A running one has not been heard of for a whole
-- lease: its worker is lost, and it is queued again or, after too many attempts, failed with its credits back.
-- Time in which nobody looked proves no worker dead, as none could beat either while Redis stood still: after it
-- a running one has a whole lease to be heard of.
-- KEYS[1] root   ARGV: most jobs to look at, look again ms, most attempts, running limit, record ttl ms, lease ms
-- Answers {{id, dispatch} to be given to Bull ...}, {id ended ...}
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
    local lost = add(root, id, 'lost', 1)
    if whole(job[3]) >= tonumber(ARGV[3]) then
      fail_lost(root, id, lost, settings)
      ended[#ended + 1] = id
    else
      deliver[#deliver + 1] = { id, put_back(root, id, job[4], job[5], now + ARGV[2]) }
    end
  end
end
return { deliver, ended }
