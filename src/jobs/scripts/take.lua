-- Starts an attempt. A worker calls it with a ticket for one of its places: what Bull delivered; or, as it has heard that a
-- job waits, with none. Which job gets the place is decided here, at this moment: the account with the fewest running jobs
-- has its turn, then the one served longest ago; of its jobs the oldest. So a caller with one job waits for one place,
-- however many jobs others have.
-- The job that the ticket is named after stays in the queue when another one is started: its `dispatch` then grows,
-- because Bull drops a second ticket of the same name while the first one is in use.
-- Beside its places a worker has one for quick jobs, while long ones hold them all. An account's running limit is one higher
-- there, or its own long jobs would keep its pictures waiting on an empty machine.
-- KEYS[1] root   ARGV: id and dispatch of the ticket ('' and 0: none), token of this call, lease ms, running limit,
--                record ttl ms, lane ('quick-': only quick jobs; '': any)
-- Sending the same call again, after a lost connection, answers the same.
-- Answers {'taken', id, fence, record}: from now on only the attempt with this fencing token may write; the record as
--         names and values in turn;  {'ended', id}: it was to be cancelled;  {'none'}: there is no job that may start.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, now = KEYS[1], now_ms()
local lease, lane = tonumber(ARGV[4]), root .. ':' .. ARGV[7]
local running_limit = tonumber(ARGV[5]) + (ARGV[7] == '' and 0 or 1)
local answered = root .. ':taken:' .. ARGV[3]

-- The next job, its account and its record. What another version of the service left in a set is removed.
local function next_job()
  while true do
    local account = redis.call('ZRANGE', lane .. 'turns', 0, 0)[1]
    if not account or redis.call('SCARD', root .. ':running:' .. account) >= running_limit then return nil end
    local id = redis.call('ZRANGE', lane .. 'ready:' .. account, 0, 0)[1]
    local job = id and job_fields(root, id, 'status', 'cancel_requested')
    if job and job[1] == 'queued' then return id, account, job end
    if id then leave_ready(root, id, account) end
    set_turn(root, account)
  end
end

local function start(id, account)
  local key = job_key(root, id)
  leave_queue(root, id, account)
  redis.call('SADD', root .. ':processing', id)
  redis.call('SADD', root .. ':running:' .. account, id)
  set_stamp(root, account, true)
  set_turn(root, account)
  local is_first = redis.call('HSETNX', key, 'started_at', now) == 1
  redis.call('HSET', key, 'status', 'processing', 'progress', '')
  add(root, id, 'attempts', 1)
  redis.call('ZADD', root .. ':due', now + lease, id)
  announce(root, id, 'processing')
  if is_first then tell(root, now, id, account, 'job.processing') end
  return add(root, id, 'fence', 1)
end

local function taken(id, fence)
  return { 'taken', id, fence, redis.call('HGETALL', job_key(root, id)) }
end

local before = redis.call('HMGET', answered, 'id', 'fence')
if before[1] then return taken(before[1], whole(before[2])) end

local id, account, job = next_job()
if not id then return { 'none' } end
if job[2] == '1' then
  end_job(root, id, 'canceled', 0, { record_ttl_ms = ARGV[6] })
  return { 'ended', id }
end
local fence = start(id, account)
redis.call('HSET', answered, 'id', id, 'fence', fence)
redis.call('PEXPIRE', answered, 4 * lease)
local named = job_fields(root, ARGV[1], 'status', 'dispatch')
if named[1] == 'queued' and whole(named[2]) == tonumber(ARGV[2]) then add(root, ARGV[1], 'dispatch', 1) end
return taken(id, fence)
