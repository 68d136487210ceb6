-- Records how an attempt of a delivery ended, if its run is still the latest.
-- KEYS[1] root   ARGV: id, run, ttl ms, fields (JSON object, all text)
-- Answers 1, or 0 when the delivery was sent again or forgotten meanwhile.
-- @include "webhook.lua"
local key, fields = delivery_key(KEYS[1], ARGV[1]), cjson.decode(ARGV[4])
if redis.call('HGET', key, 'run') ~= ARGV[2] then return 0 end
for name, value in pairs(fields) do redis.call('HSET', key, name, value) end
if fields.status ~= 'pending' then redis.call('ZREM', pending_key(KEYS[1]), ARGV[1]) end
redis.call('PEXPIRE', key, ARGV[3])
return 1
