-- The endpoints of accounts, and the log of what was delivered.
--   <root>:webhook:<id>              hash, see StoredEndpoint in endpoint.ts
--   <root>:webhooks:<account>        zset of the ids of its endpoints, all score 0: ids sort by time
--   <root>:subscribed:<account>:<type>  see jobs/scripts/outbox.lua: of the enabled endpoints
--   <root>:webhook-secret:<account>  hash: seed, previous_seed, previous_until of the account's own secret
--   <root>:delivery:<id>             hash, see StoredDelivery in delivery.ts
--   <root>:deliveries:<account>      zset of the ids of its deliveries, all score 0: ids sort by time
-- For the figures of all accounts:
--   <root>:deliveries-pending        zset of the ids of the deliveries that are to be made, by since when (ms)
--   <root>:webhooks-disabled:<reason>  set of the ids of the endpoints that are disabled for it

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function webhook_key(root, id) return root .. ':webhook:' .. id end

local function delivery_key(root, id) return root .. ':delivery:' .. id end

local function pending_key(root) return root .. ':deliveries-pending' end

local types = { 'job.succeeded', 'job.failed', 'job.canceled', 'job.processing', 'job.progress' }

local reasons = { 'by_request', 'answered_410', 'failed_for_days' }

-- Counts the endpoint as disabled for this reason; '': as not disabled.
local function count_disabled(root, id, why)
  for _, reason in ipairs(reasons) do
    redis.call(why == reason and 'SADD' or 'SREM', root .. ':webhooks-disabled:' .. reason, id)
  end
end

-- From now on the endpoint gets the events that its record names: none while it is disabled.
local function subscribe(root, id)
  local webhook = redis.call('HMGET', webhook_key(root, id), 'account', 'events', 'disabled_reason')
  local wanted = {}
  if webhook[3] == '' then
    for _, event in ipairs(cjson.decode(webhook[2])) do wanted[event] = true end
  end
  for _, event in ipairs(types) do
    local change = wanted[event] and 'SADD' or 'SREM'
    redis.call(change, root .. ':subscribed:' .. webhook[1] .. ':' .. event, id)
  end
  count_disabled(root, id, webhook[3])
end
