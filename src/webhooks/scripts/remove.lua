-- Removes an endpoint. Its deliveries stay in the log; those that are pending end as failed at their next attempt.
-- KEYS[1] root   ARGV: id, account
-- Answers 1, or 0 when the account has no such endpoint.
-- @include "webhook.lua"
local root, id = KEYS[1], ARGV[1]
local key = webhook_key(root, id)
if redis.call('HGET', key, 'account') ~= ARGV[2] then return 0 end
redis.call('HSET', key, 'disabled_reason', 'by_request')
subscribe(root, id)
count_disabled(root, id, '')
redis.call('ZREM', root .. ':webhooks:' .. ARGV[2], id)
redis.call('DEL', key)
return 1
