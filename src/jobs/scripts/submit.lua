-- From a request to a job, in one step: cache look-up, joining an identical unfinished job, limits, held credits,
-- record, queue, idempotency key. A crash leaves either all of it or nothing.
-- KEYS[1] root
-- ARGV[1] JSON: id, want ('reuse': only what needs no work; 'new': a job if need be), account, fingerprint, release,
--         oldest, account_records, large_bytes, large_records, record_ttl_ms,
--         idempotency (optional): key, token, hash, ttl_ms,
--         seen: the job whose result's file the caller has just found under the fingerprint; '' for none,
--         callback (optional): JSON text, whom to tell of the job and what the request tells about itself (outbox.lua),
--         most_callbacks: of one job,
--         for 'new' only: credits, list, month, lines (JSON text), used_from, used_to, bytes,
--         quick_ms (optional): a job that is expected to take no longer is quick; absent: it is not, whatever it takes,
--         account_queued, account_bytes, queue_limit
-- ARGV[2] JSON object: the record's other fields, all text. 'reuse' is asked before the media was looked at and priced:
--         a cached job takes from the one that made the result what is missing of `from_maker`.
-- Answers, the first four having made or found the job `id`, whose record they bring as names and values in turn:
--   {'existed' | 'cached' | 'joined' | 'queued', id, record}: 'queued' is to be given to Bull now
--   {'missed'}               there is nothing to reuse
--   {'unseen', id}           the cache names this job, not the one that was seen: to be looked at first
--   {'closed'}               the release was unloaded meanwhile (close-release.lua)
--   {'unclaimed'}            another request has claimed the idempotency key
--   {'callbacks_full', count}  the job that it would join tells as many requests as it may
--   {'account_full', count}  {'bytes_full', bytes}  {'queue_full', count}  {'repriced', used}  {'short', available}
-- Sending the same id again changes nothing.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
-- @include "speeds.lua"
local root, ask, record = KEYS[1], cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
local id, account, now = ask.id, ask.account, now_ms()
local key, claim = job_key(root, id), ask.idempotency

local from_maker = { 'input', 'found', 'input_bytes', 'lines', 'estimated' }

local function bind(job_id, joined)
  if claim then
    redis.call('HSET', claim.key, 'hash', claim.hash, 'token', claim.token, 'job', job_id, 'joined', joined)
    redis.call('PEXPIRE', claim.key, claim.ttl_ms)
  end
end

-- A cached, cancelled or failed job costs its caller nothing, but its record takes memory for a month: when `set` has
-- more than `most` members, the oldest jobs that have ended are deleted, except those with a paid, unexpired result.
local function forget_oldest(set, most)
  local excess = redis.call('ZCARD', set) - most
  if excess <= 0 then return end
  for _, old in ipairs(redis.call('ZRANGE', set, 0, 49)) do
    if excess <= 0 then return end
    local job = job_fields(root, old, 'status', 'expires_at', 'cached')
    local kept = (tonumber(job[2] or '') or 0) > now and job[3] ~= '1'
    if job[1] ~= 'queued' and job[1] ~= 'processing' and not kept then
      redis.call('DEL', job_key(root, old))
      redis.call('ZREM', set, old)
      redis.call('ZREM', root .. ':jobs:' .. account, old)
      excess = excess - 1
    end
  end
end

-- A record with a speaker's box for each frame may have hundreds of kilobytes.
local function remember_large()
  if #ARGV[2] <= ask.large_bytes then return end
  local large = root .. ':large:' .. account
  redis.call('ZADD', large, 0, id)
  redis.call('PEXPIRE', large, ask.record_ttl_ms)
  forget_oldest(large, ask.large_records)
end

local function remember_callback(job_id)
  if ask.callback then redis.call('HSET', root .. ':callbacks:' .. job_id, id, ask.callback) end
end

local function write(fields)
  local flat = { 'id', id, 'account', account, 'fingerprint', ask.fingerprint, 'created_at', now,
    'dispatch', 1, 'fence', 0, 'attempts', 0, 'lost', 0 }
  for _, more in ipairs({ fields, { lines = ask.lines, estimated = ask.credits }, record }) do
    for name, value in pairs(more) do
      flat[#flat + 1] = name
      flat[#flat + 1] = value
    end
  end
  redis.call('HSET', key, unpack(flat))
  local index = root .. ':jobs:' .. account
  redis.call('ZADD', index, 0, id)
  -- Here too, as an account may never list its jobs: records older than `oldest` have expired.
  redis.call('ZREMRANGEBYLEX', index, '-', '(' .. ask.oldest)
  forget_oldest(index, ask.account_records)
  remember_large()
  bind(id, '')
end

local function answer(how, job_id)
  return { how, job_id, redis.call('HGETALL', job_key(root, job_id)) }
end

if redis.call('EXISTS', key) == 1 then return answer('existed', id) end
if claim and redis.call('HGET', claim.key, 'token') ~= claim.token then return { 'unclaimed' } end

local made_by = redis.call('GET', root .. ':cache:' .. ask.fingerprint)
if made_by then
  if made_by ~= ask.seen then return { 'unseen', made_by } end
  local made = job_fields(root, made_by, 'status', 'erased', 'expires_at', 'outcome')
  if made[1] == 'succeeded' and made[2] ~= '1' and whole(made[3]) > now and made[4] then
    local fields = { status = 'succeeded', cached = '1', held = 0, charged = 0,
      finished_at = now, expires_at = made[3], outcome = made[4] }
    local found = job_fields(root, made_by, unpack(from_maker))
    for at, name in ipairs(from_maker) do fields[name] = found[at] or nil end
    write(fields)
    redis.call('PEXPIRE', key, ask.record_ttl_ms)
    announce(root, id, 'succeeded')
    remember_callback(id)
    tell(root, now, id, account, 'job.succeeded')
    redis.call('DEL', root .. ':callbacks:' .. id)
    return answer('cached', id)
  end
end

local running = redis.call('GET', root .. ':inflight:' .. ask.fingerprint)
if running then
  local job = job_fields(root, running, 'status', 'cancel_requested')
  if (job[1] == 'queued' or job[1] == 'processing') and job[2] ~= '1' then
    local told = redis.call('HLEN', root .. ':callbacks:' .. running)
    if ask.callback and told >= ask.most_callbacks then return { 'callbacks_full', told } end
    remember_callback(running)
    -- The request that made the job is counted by the job's id; an older version did not count it.
    redis.call('SADD', root .. ':holders:' .. running, running, id)
    bind(running, '1')
    return answer('joined', running)
  end
end

if ask.want == 'reuse' then return { 'missed' } end

if redis.call('SISMEMBER', root .. ':models:closed', ask.release) == 1 then return { 'closed' } end

local queued = redis.call('ZCARD', root .. ':queued:' .. account)
if queued >= ask.account_queued then return { 'account_full', queued } end
-- Summed over the records, as a counter of its own could drift. Both sets are short.
local bytes = 0
local function add_bytes(ids)
  for _, other in ipairs(ids) do
    bytes = bytes + whole(job_fields(root, other, 'input_bytes')[1])
  end
end
add_bytes(redis.call('ZRANGE', root .. ':queued:' .. account, 0, -1))
add_bytes(redis.call('SMEMBERS', root .. ':running:' .. account))
-- The bound holds for jobs beside others: a single one has no other bound than the media limits.
if bytes > 0 and bytes + ask.bytes > ask.account_bytes then return { 'bytes_full', bytes } end
local all = redis.call('ZCARD', root .. ':queued')
if all >= ask.queue_limit then return { 'queue_full', all } end

local used = used_in_month(root, account, ask.month)
if used < ask.used_from or used > ask.used_to then return { 'repriced', used } end
local available = hold(root, account, id, ask.credits, ask.list, ask.month, ask.lines)
if available then return { 'short', available } end

write({ status = 'queued', held = ask.credits, charged = 0 })
redis.call('SADD', root .. ':holders:' .. id, id)
remember_callback(id)
redis.call('SET', root .. ':inflight:' .. ask.fingerprint, id)
-- Not known is how long before the first job of a release has ended.
if ask.quick_ms and (expected_ms(root, id, {}) or 0) <= ask.quick_ms then redis.call('HSET', key, 'quick', '1') end
enter_queue(root, id, account, now)
announce(root, id, 'queued')
return answer('queued', id)
