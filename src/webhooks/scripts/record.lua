-- Records a delivery that is to be made, unless it is recorded already. An account has a limited number in its log: beyond
-- that the oldest are forgotten, pending ones too, as a receiver that is away for days may be owed any number.
-- KEYS[1] root
-- ARGV: id, account, fields (JSON object, all text), most deliveries of an account, ttl ms, id before all that have expired,
--       '1' to put it into the outbox too
-- Answers {its status, how many pending ones were forgotten}.
-- @include "../../jobs/scripts/outbox.lua"
-- @include "webhook.lua"
local root, id, account = KEYS[1], ARGV[1], ARGV[2]
local key, index, forgotten = delivery_key(root, id), root .. ':deliveries:' .. account, 0
local status = redis.call('HGET', key, 'status')
if status then return { status, 0 } end
local fields = cjson.decode(ARGV[3])
for name, value in pairs(fields) do redis.call('HSET', key, name, value) end
redis.call('ZADD', pending_key(root), fields.created_at, id)
redis.call('PEXPIRE', key, ARGV[5])
redis.call('ZADD', index, 0, id)
redis.call('PEXPIRE', index, 2 * ARGV[5])
redis.call('ZREMRANGEBYLEX', index, '-', '(' .. ARGV[6])
local excess = redis.call('ZCARD', index) - tonumber(ARGV[4])
for _, old in ipairs(excess > 0 and redis.call('ZRANGE', index, 0, excess - 1) or {}) do
  if redis.call('HGET', delivery_key(root, old), 'status') == 'pending' then forgotten = forgotten + 1 end
  redis.call('DEL', delivery_key(root, old))
  redis.call('ZREM', pending_key(root), old)
  redis.call('ZREM', index, old)
end
if ARGV[7] == '1' then put_in_outbox(root, now_ms(), { kind = 'delivery', id = id, run = 0 }) end
return { 'pending', forgotten }
