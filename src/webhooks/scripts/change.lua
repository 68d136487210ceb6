-- Changes fields of an endpoint.
-- KEYS[1] root   ARGV: id, account, fields (JSON object, all text)
-- Answers 1, or 0 when the account has no such endpoint.
-- @include "webhook.lua"
local root, id = KEYS[1], ARGV[1]
local key = webhook_key(root, id)
if redis.call('HGET', key, 'account') ~= ARGV[2] then return 0 end
for name, value in pairs(cjson.decode(ARGV[3])) do redis.call('HSET', key, name, value) end
subscribe(root, id)
return 1
