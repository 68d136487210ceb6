-- Handles the jobs that are due, and names the tickets that Bull must have. A queued job that is due may be started from now
-- on. A running job is due when its lease has ended without a heartbeat: its worker is lost, and it is queued again or,
-- after too many attempts, failed with its credits released.
-- When half a lease has passed since its caller called it last, Redis probably stopped, and no heartbeat could arrive
-- either: every running job then gets a new lease. A worker that has just started knows nothing of that: the jobs of the one
-- before it need not wait.
-- KEYS[1] root   ARGV: most jobs to handle, most tickets, most attempts, running limit, record ttl ms, lease ms,
--                the time that the caller was answered last (0: it never was)
-- Answers {{id, dispatch} of the jobs that are to be started next ...}, {id of jobs that ended ...}, the time
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, now = KEYS[1], now_ms()
local running_limit, settings = tonumber(ARGV[4]), { record_ttl_ms = ARGV[5] }
local lease, looked = tonumber(ARGV[6]), tonumber(ARGV[7])
local ended = {}

local function renew_leases()
  if looked == 0 or now - looked <= lease / 2 then return end
  for _, id in ipairs(redis.call('SMEMBERS', root .. ':processing')) do
    redis.call('ZADD', root .. ':due', 'XX', 'GT', now + lease, id)
  end
end

local function handle(id)
  local job = job_fields(root, id, 'status', 'attempts', 'account', 'created_at', 'cancel_requested')
  if job[1] == 'queued' then
    make_ready(root, id, job[3] or '', whole(job[4]))
  elseif job[1] ~= 'processing' then
    redis.call('ZREM', root .. ':due', id)
  elseif job[5] == '1' then
    end_job(root, id, 'canceled', 0, settings)
    ended[#ended + 1] = id
  else
    local lost = lose(root, id)
    if whole(job[2]) >= tonumber(ARGV[3]) then
      fail_lost(root, id, lost, settings)
      ended[#ended + 1] = id
    else
      put_back(root, id, job[3], job[4])
    end
  end
end

-- The jobs that may start now, in the order of the turns. Bull may have lost the ticket of any of them.
local function tickets(most)
  local next = {}
  for _, account in ipairs(redis.call('ZRANGE', root .. ':turns', 0, most - 1)) do
    local free = running_limit - redis.call('SCARD', root .. ':running:' .. account)
    local wanted = math.min(free, most - #next)
    if wanted <= 0 then return next end
    for _, id in ipairs(redis.call('ZRANGE', root .. ':ready:' .. account, 0, wanted - 1)) do
      next[#next + 1] = { id, whole(job_fields(root, id, 'dispatch')[1]) }
    end
  end
  return next
end

renew_leases()
for _, id in ipairs(redis.call('ZRANGEBYSCORE', root .. ':due', '-inf', now, 'LIMIT', 0, ARGV[1])) do handle(id) end
return { tickets(tonumber(ARGV[2])), ended, now }
