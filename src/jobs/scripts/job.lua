-- The keys of jobs, and how a job ends; used by every script that changes one. The record alone tells the state of a
-- job: Bull only carries tickets to workers, and take.lua decides which job one of them starts.
-- A record of another version of the service may lack a field or hold something else in it. Scripts then read a number
-- as 0 and a text as '', so that such a job can still be taken, failed, cancelled and paid back: id, status, fence and
-- account are enough for that.
--
--   <root>:job:<id>            hash, see JobRecord in record.ts
--   <root>:holders:<id>        set: the requests that made or joined the unfinished job, by their ids
--   <root>:left:<id>           set: the calls by which one of them left again (cancel.lua)
--   <root>:jobs:<account>      zset of ids, all score 0: ids sort by time
--   <root>:large:<account>     zset of ids whose record is large, all score 0
--   <root>:queued              zset of ids in status queued, by time of creation
--   <root>:queued:<account>    the same of one account
--   <root>:ready:<account>     those of them that a worker may start now
--   <root>:quick-ready:<account>  those of these that are quick: pictures to be enlarged, the work of seconds
--   <root>:processing          set of ids in status processing
--   <root>:running:<account>   the same of one account
--   <root>:turns               zset of accounts that have a ready job; the lowest score has the next turn (set_turn)
--   <root>:quick-turns         the same of accounts that have a ready quick job
--   <root>:stamps              zset of accounts by when they were served last or began to wait; the latest 10,000
--   <root>:stamp               the latest stamp (next_stamp)
--   <root>:taken:<token>       what a call of take.lua answered, for as long as it may be sent again
--   <root>:due                 zset of ids by when due.lua must handle them: a queued job that waits for its next
--                              attempt becomes ready then, and the lease of a running one ends
--   <root>:inflight:<print>    id of the unfinished job with this fingerprint
--   <root>:cache:<print>       id of the job that made the result, until the result expires
--   <root>:totals              hash of counters, see money.lua: jobs that ended as succeeded, failed and canceled, and
--                              attempts that were lost with their worker (workers_lost)
--   <root>:shared              zset of ids whose running attempt shares out chunks, by when it began to
--   <root>:chunks:<id>         hash, see chunk.lua: the chunks of that attempt
--   <root>:speeds              hash, see speeds.lua
--   <root>:events              channel: JSON {id, event}
-- What webhooks are told is in outbox.lua.
-- @include "outbox.lua"

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

-- Stamps order accounts as a clock would, but exactly. Each start of a job takes the next multiple of 2^11; an account that
-- begins to wait gets the next number below the latest start. So it comes after those who wait already, and before the
-- account that was served last. Exact for 2^32 starts.
local start_step = 2 ^ 11

local function next_stamp(root, starts)
  local last = tonumber(redis.call('GET', root .. ':stamp') or start_step)
  local stamp = math.floor(last / start_step + 1) * start_step
  if not starts then stamp = math.min(last + 1, stamp - 1) end
  redis.call('SET', root .. ':stamp', stamp)
  return starts and stamp or stamp - start_step
end

local function set_stamp(root, account, starts)
  redis.call('ZADD', root .. ':stamps', 'GT', next_stamp(root, starts), account)
  redis.call('ZREMRANGEBYRANK', root .. ':stamps', 0, -10001)
end

-- A score is the number of an account's running jobs (up to 1,023, as a number of Redis has 53 bits), then its stamp.
local stamp_range = 2 ^ 43

local function turn_of(root, account)
  local running = math.min(redis.call('SCARD', root .. ':running:' .. account), 1023)
  return running * stamp_range + tonumber(redis.call('ZSCORE', root .. ':stamps', account) or 0)
end

-- The account with the fewest running jobs has the next turn; of several the one that was served longest ago.
local function set_turn(root, account)
  for _, lane in ipairs({ ':', ':quick-' }) do
    if redis.call('EXISTS', root .. lane .. 'ready:' .. account) == 1 then
      redis.call('ZADD', root .. lane .. 'turns', turn_of(root, account), account)
    else
      redis.call('ZREM', root .. lane .. 'turns', account)
    end
  end
end

local function make_ready(root, id, account, created)
  if redis.call('EXISTS', root .. ':ready:' .. account) == 0 then set_stamp(root, account) end
  redis.call('ZREM', root .. ':due', id)
  redis.call('ZADD', root .. ':ready:' .. account, created, id)
  if job_fields(root, id, 'quick')[1] == '1' then redis.call('ZADD', root .. ':quick-ready:' .. account, created, id) end
  set_turn(root, account)
end

-- Adds a job to the queue. Without `due` a worker may start it now.
local function enter_queue(root, id, account, created, due)
  redis.call('ZADD', root .. ':queued', created, id)
  redis.call('ZADD', root .. ':queued:' .. account, created, id)
  if not due then return make_ready(root, id, account, created) end
  redis.call('ZADD', root .. ':due', due, id)
end

local function leave_ready(root, id, account)
  redis.call('ZREM', root .. ':ready:' .. account, id)
  redis.call('ZREM', root .. ':quick-ready:' .. account, id)
end

local function leave_queue(root, id, account)
  redis.call('ZREM', root .. ':queued', id)
  redis.call('ZREM', root .. ':queued:' .. account, id)
  leave_ready(root, id, account)
end

local function stop_running(root, id, account)
  redis.call('SREM', root .. ':processing', id)
  redis.call('SREM', root .. ':running:' .. account, id)
end

-- The workers that do chunks of the attempt find out at their next heartbeat.
local function drop_chunks(root, id)
  redis.call('ZREM', root .. ':shared', id)
  redis.call('DEL', root .. ':chunks:' .. id)
end

-- Ends a job: settles its held credits, gives its turn back, publishes its end and puts it into the outbox of webhooks. `fields` are written to the record.
-- settings: record_ttl_ms.
local function end_job(root, id, status, credits, settings, fields)
  local key, now = job_key(root, id), now_ms()
  local job = redis.call('HMGET', key, 'account', 'fingerprint', 'lines')
  local account, fingerprint = job[1] or '', job[2] or ''
  local charged = settle(root, account, id, credits, credits > 0 and job[3] or '[]')
  redis.call('HSET', key, 'status', status, 'charged', charged, 'finished_at', now, unpack(fields or {}))
  redis.call('PEXPIRE', key, settings.record_ttl_ms)
  count(root, status, 1)
  leave_queue(root, id, account)
  stop_running(root, id, account)
  set_turn(root, account)
  redis.call('ZREM', root .. ':due', id)
  tell(root, now, id, account, 'job.' .. status)
  redis.call('DEL', root .. ':holders:' .. id, root .. ':left:' .. id, root .. ':callbacks:' .. id)
  drop_chunks(root, id)
  if redis.call('GET', root .. ':inflight:' .. fingerprint) == id then
    redis.call('DEL', root .. ':inflight:' .. fingerprint)
  end
  announce(root, id, status)
end

local function lose(root, id)
  count(root, 'workers_lost', 1)
  return add(root, id, 'lost', 1)
end

local function fail_lost(root, id, times, settings)
  local failure = cjson.encode({ code = 'worker_lost', facts = { times = times } })
  end_job(root, id, 'failed', 0, settings, { 'error', failure })
end

-- Puts a running job back into the queue for another attempt, at once or when it is `due`; its new fence ends the rights
-- of the attempt that ran.
local function put_back(root, id, account, created, due)
  add(root, id, 'fence', 1)
  redis.call('HSET', job_key(root, id), 'status', 'queued', 'progress', '')
  add(root, id, 'dispatch', 1)
  redis.call('ZREM', root .. ':due', id)
  stop_running(root, id, account or '')
  drop_chunks(root, id)
  enter_queue(root, id, account or '', whole(created), due)
  set_turn(root, account or '')
  announce(root, id, 'queued')
end
