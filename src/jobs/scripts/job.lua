-- The keys of jobs, and how a job ends; used by every script that changes one. The record alone tells the state of a
-- job: Bull only carries ids to workers, so a delivery that does not match the record is dropped.
-- A record of another version of the service may lack a field or hold something else in it. Scripts then read a number
-- as 0 and a text as '', so that such a job can still be taken, failed, cancelled and paid back: id, status, fence and
-- account are enough for that.
--
--   <root>:job:<id>            hash, see JobRecord in record.ts
--   <root>:holders:<id>        set: the requests that made or joined the unfinished job, by their ids
--   <root>:left:<id>           set: the calls by which one of them left again (cancel.lua)
--   <root>:jobs:<account>      zset of ids, all score 0: ids sort by time
--   <root>:large:<account>     zset of ids whose record is large, all score 0
--   <root>:queued              zset of ids in status queued, by time of creation: the order of the queue
--   <root>:queued:<account>    the same of one account
--   <root>:processing          set of ids in status processing
--   <root>:waiting:<account>   zset of queued ids beyond the account's running limit; not given to Bull
--   <root>:slots:<account>     set of ids that are in Bull, running or waiting for their next attempt
--   <root>:due                 zset of ids by when due.lua must handle them: a queued job has to be in Bull by then,
--                              and the lease of a running one ends
--   <root>:looked              when due.lua was last called
--   <root>:stood-still         exists for two leases after due.lua was not called for half a lease
--   <root>:inflight:<print>    id of the unfinished job with this fingerprint
--   <root>:cache:<print>       id of the job that made the result, until the result expires
--   <root>:shared              zset of ids whose running attempt shares out chunks, by when it began to
--   <root>:chunks:<id>         hash, see chunk.lua: the chunks of that attempt
--   <root>:events              channel: JSON {id, event}

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function job_key(root, id) return root .. ':job:' .. id end

local function job_fields(root, id, ...)
  return redis.call('HMGET', job_key(root, id), ...)
end

-- A number of a record.
local function whole(value)
  local number = tonumber(value or '') or 0
  if number ~= number or math.abs(number) > 9007199254740991 then return 0 end
  return math.floor(number)
end

-- Adds to a number of a record and returns the sum. Not HINCRBY, which fails on what is not a number.
local function add(root, id, field, by)
  local sum = whole(redis.call('HGET', job_key(root, id), field)) + by
  redis.call('HSET', job_key(root, id), field, sum)
  return sum
end

local function announce(root, id, event)
  redis.call('PUBLISH', root .. ':events', cjson.encode({ id = id, event = event }))
end

-- Adds a job to the queue; Bull must have it by `due`.
local function enter_queue(root, id, account, created, due)
  redis.call('ZADD', root .. ':queued', created, id)
  redis.call('ZADD', root .. ':queued:' .. account, created, id)
  redis.call('ZADD', root .. ':due', due, id)
end

local function leave_queue(root, id, account)
  redis.call('ZREM', root .. ':queued', id)
  redis.call('ZREM', root .. ':queued:' .. account, id)
end

-- The workers that do chunks of the attempt find out at their next heartbeat.
local function drop_chunks(root, id)
  redis.call('ZREM', root .. ':shared', id)
  redis.call('DEL', root .. ':chunks:' .. id)
end

-- Gives the free slots of an account to its waiting jobs, oldest first.
local function admit(root, account, running_limit, now)
  local slots = root .. ':slots:' .. account
  while redis.call('SCARD', slots) < running_limit do
    local id = redis.call('ZPOPMIN', root .. ':waiting:' .. account)[1]
    if not id then return end
    redis.call('SADD', slots, id)
    redis.call('ZADD', root .. ':due', now, id)
  end
end

-- Ends a job for good: settles its held credits, frees its slot, publishes its end. `fields` are written to the record.
-- settings: running_limit, record_ttl_ms.
local function end_job(root, id, status, credits, settings, fields)
  local key, now = job_key(root, id), now_ms()
  local job = redis.call('HMGET', key, 'account', 'fingerprint', 'lines')
  local account, fingerprint = job[1] or '', job[2] or ''
  local charged = settle(root, account, id, credits, credits > 0 and job[3] or '[]')
  redis.call('HSET', key, 'status', status, 'charged', charged, 'finished_at', now, unpack(fields or {}))
  redis.call('PEXPIRE', key, settings.record_ttl_ms)
  leave_queue(root, id, account)
  redis.call('ZREM', root .. ':waiting:' .. account, id)
  redis.call('SREM', root .. ':processing', id)
  redis.call('SREM', root .. ':slots:' .. account, id)
  redis.call('ZREM', root .. ':due', id)
  redis.call('DEL', root .. ':holders:' .. id, root .. ':left:' .. id)
  drop_chunks(root, id)
  if redis.call('GET', root .. ':inflight:' .. fingerprint) == id then
    redis.call('DEL', root .. ':inflight:' .. fingerprint)
  end
  admit(root, account, settings.running_limit, now)
  announce(root, id, status)
end

local function fail_lost(root, id, times, settings)
  local failure = cjson.encode({ code = 'worker_lost', facts = { times = times } })
  end_job(root, id, 'failed', 0, settings, { 'error', failure })
end

-- Puts a running job back into the queue for another attempt; its new fence ends the rights of the attempt that ran.
local function put_back(root, id, account, created, due)
  add(root, id, 'fence', 1)
  redis.call('HSET', job_key(root, id), 'status', 'queued', 'progress', '')
  redis.call('SREM', root .. ':processing', id)
  drop_chunks(root, id)
  enter_queue(root, id, account or '', whole(created), due)
  announce(root, id, 'queued')
  return add(root, id, 'dispatch', 1)
end
