-- Has a delivery made again from its first attempt on, whatever became of it. Its next run ends the rights of the one before.
-- KEYS[1] root   ARGV: id, account, ttl ms
-- Answers 1, or 0 when the account has no such delivery.
-- @include "../../jobs/scripts/outbox.lua"
-- @include "webhook.lua"
local root, id, now = KEYS[1], ARGV[1], now_ms()
local key = delivery_key(root, id)
if redis.call('HGET', key, 'account') ~= ARGV[2] then return 0 end
local run = redis.call('HINCRBY', key, 'run', 1)
redis.call('HSET', key, 'status', 'pending', 'tried', 0, 'by_request', '1', 'finished_at', '', 'next_attempt_at', now)
redis.call('PEXPIRE', key, ARGV[3])
redis.call('ZADD', pending_key(root), now, id)
put_in_outbox(root, now, { kind = 'delivery', id = id, run = run })
return 1
