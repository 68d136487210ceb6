-- Changes of credits, included by every script that makes one. Each updates the account and appends to its ledger in
-- one step, so that the balance follows from the ledger alone. balance - held never becomes negative.
--
--   <root>:accounts           set of names
--   <root>:account:<account>  hash: balance (held credits included), held
--   <root>:usage:<account>    hash: UTC month -> list-price credits
--   <root>:holds:<account>    hash: open hold -> JSON {credits, list, month}
--   <root>:ledger:<account>   stream, append-only
--   <root>:totals             hash of counters that only grow, for /metrics: credits granted, withdrawn, held,
--                             captured and released of all accounts; what job.lua counts

local function count(root, name, by)
  if by ~= 0 then redis.call('HINCRBY', root .. ':totals', name, by) end
end

local function account_number(root, account, field)
  return tonumber(redis.call('HGET', root .. ':account:' .. account, field) or '0')
end

local function used_in_month(root, account, month)
  return tonumber(redis.call('HGET', root .. ':usage:' .. account, month) or '0')
end

-- Applies one change and appends it. entry: type, job, balance, held, usage (changes), month, lines, note.
local function record_change(root, account, entry)
  local balance = redis.call('HINCRBY', root .. ':account:' .. account, 'balance', entry.balance)
  local held = redis.call('HINCRBY', root .. ':account:' .. account, 'held', entry.held)
  if entry.usage ~= 0 then
    redis.call('HINCRBY', root .. ':usage:' .. account, entry.month, entry.usage)
  end
  redis.call('XADD', root .. ':ledger:' .. account, '*',
    'type', entry.type, 'job', entry.job or '',
    'balance_change', entry.balance, 'held_change', entry.held,
    'usage_change', entry.usage, 'month', entry.month or '',
    'balance', balance, 'held', held,
    'lines', entry.lines or '[]', 'note', entry.note or '')
end

-- Whether the balance would exceed 2^53 - 1, the greatest number that is exact.
local function is_too_many(root, account, credits)
  return account_number(root, account, 'balance') + credits > 9007199254740991
end

-- Adds credits, or withdraws them where they are negative, once for each `token`, and makes the account if it is new;
-- 0 credits only make it.
local function grant(root, account, credits, note, token, ttl_ms)
  redis.call('SADD', root .. ':accounts', account)
  if credits ~= 0 and redis.call('SET', root .. ':grant:' .. token, '1', 'NX', 'PX', ttl_ms) then
    record_change(root, account, { type = 'grant', balance = credits, held = 0, usage = 0, note = note })
    count(root, 'granted', math.max(0, credits))
    count(root, 'withdrawn', math.max(0, 0 - credits))
  end
end

-- Holds credits for job `id`. Returns nil, or the available credits when they are too few.
local function hold(root, account, id, credits, list, month, lines)
  local available = account_number(root, account, 'balance') - account_number(root, account, 'held')
  if available < credits then return available end
  redis.call('HSET', root .. ':holds:' .. account, id,
    cjson.encode({ credits = credits, list = list, month = month }))
  record_change(root, account, {
    type = 'hold', job = id, balance = 0, held = credits, usage = list, month = month, lines = lines,
  })
  count(root, 'held', credits)
  return nil
end

-- Ends the hold of job `id`: captures `credits`, at most what was held, and frees the rest. With 0 credits it is a
-- release, which also takes back the month's usage. Returns the captured credits; 0 for a hold that has already ended.
local function settle(root, account, id, credits, lines)
  local holds = root .. ':holds:' .. account
  local open = redis.call('HGET', holds, id)
  if not open then return 0 end
  redis.call('HDEL', holds, id)
  local held = cjson.decode(open)
  local captured = math.max(0, math.min(credits, held.credits))
  record_change(root, account, {
    type = captured > 0 and 'capture' or 'release', job = id,
    -- Not -captured: Lua writes minus zero as "-0", which Redis refuses.
    balance = 0 - captured, held = 0 - held.credits,
    usage = captured > 0 and 0 or 0 - held.list, month = held.month, lines = lines,
  })
  count(root, 'captured', captured)
  count(root, 'released', held.credits - captured)
  return captured
end
