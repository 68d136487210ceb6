-- Takes entries out of the outbox for a while: one that is not done in time (its deliverer was lost, or failed) comes again.
-- KEYS[1] root   ARGV: most entries, lease ms
-- Answers {{id, JSON} ...}, the oldest first.
-- @include "webhook.lua"
local root, now, taken = KEYS[1], now_ms(), {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', root .. ':outbox', '-inf', now, 'LIMIT', 0, ARGV[1])) do
  redis.call('ZADD', root .. ':outbox', now + ARGV[2], id)
  taken[#taken + 1] = { id, redis.call('HGET', root .. ':outbox:entries', id) }
end
return taken
