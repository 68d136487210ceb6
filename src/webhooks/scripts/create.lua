-- Registers an endpoint.
-- KEYS[1] root   ARGV: id, account, most endpoints of an account, fields (JSON object, all text)
-- Answers 0 when it is registered, also when the same call is sent again; else how many endpoints the account has.
-- @include "webhook.lua"
local root, id, account = KEYS[1], ARGV[1], ARGV[2]
local index = root .. ':webhooks:' .. account
if redis.call('ZSCORE', index, id) then return 0 end
local count = redis.call('ZCARD', index)
if count >= tonumber(ARGV[3]) then return count end
for name, value in pairs(cjson.decode(ARGV[4])) do redis.call('HSET', webhook_key(root, id), name, value) end
redis.call('ZADD', index, 0, id)
subscribe(root, id)
return 0
