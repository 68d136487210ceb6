-- Since when the oldest webhooks wait. Pending deliveries whose record is gone or has ended are taken out on the way: it
-- expires when no deliverer is there for days, and a version without this list does not keep it.
-- KEYS[1] root   ARGV: most entries of the outbox and deliveries to look at
-- Answers {oldest event in the outbox, oldest pending delivery} (ms), '' for none.
-- @include "webhook.lua"
local root, most = KEYS[1], tonumber(ARGV[1])
local in_outbox = ''
-- By when they may be taken: one that cannot be moved comes again and again, so the first need not be the oldest.
for _, id in ipairs(redis.call('ZRANGE', root .. ':outbox', 0, most - 1)) do
  local since = string.match(id, '^%d+')
  if since and (in_outbox == '' or tonumber(since) < tonumber(in_outbox)) then in_outbox = since end
end
for _ = 1, most do
  local id, since = unpack(redis.call('ZRANGE', pending_key(root), 0, 0, 'WITHSCORES'))
  if not id then return { in_outbox, '' } end
  if redis.call('HGET', delivery_key(root, id), 'status') == 'pending' then return { in_outbox, since } end
  redis.call('ZREM', pending_key(root), id)
end
return { in_outbox, '' }
