-- Records an upload whose file is already kept, if the account's quota allows it. Both are one step, so that
-- simultaneous uploads never exceed the quota together.
-- KEYS[1] root   ARGV: account, id, bytes, now ms, ttl ms, most files, most bytes, then the record's fields and values
--   <root>:upload:<id>         hash, the record
--   <root>:uploads:<account>   zset: "<id> <bytes>" by when it expires; expired ones are not counted
-- Answers {'kept'} or {'full', files, bytes, ms until the first one expires}.
local root, account, id = KEYS[1], ARGV[1], ARGV[2]
local bytes, now, ttl = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local kept = root .. ':uploads:' .. account
redis.call('ZREMRANGEBYSCORE', kept, '-inf', now)
local entry = id .. ' ' .. ARGV[3]
-- The same call, sent again after a lost connection.
if redis.call('ZSCORE', kept, entry) then return { 'kept' } end

local files, sum = 0, 0
for _, other in ipairs(redis.call('ZRANGE', kept, 0, -1)) do
  files, sum = files + 1, sum + tonumber(string.match(other, ' (%d+)$'))
end
if files + 1 > tonumber(ARGV[6]) or sum + bytes > tonumber(ARGV[7]) then
  local first = redis.call('ZRANGE', kept, 0, 0, 'WITHSCORES')
  return { 'full', files, sum, first[2] and math.max(0, tonumber(first[2]) - now) or 0 }
end
redis.call('ZADD', kept, now + ttl, entry)
redis.call('PEXPIRE', kept, ttl)
local record = root .. ':upload:' .. id
for at = 8, #ARGV, 2 do redis.call('HSET', record, ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', record, ttl)
return { 'kept' }
