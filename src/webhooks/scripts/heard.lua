-- Records how an endpoint answered. One that is gone is disabled at once, one that has failed for too long too.
-- KEYS[1] root   ARGV: id, how ('ok', 'failed' or 'gone'), longest time of failing (ms)
-- Answers why it was disabled by this call, or ''.
-- @include "webhook.lua"
local root, id, how, now = KEYS[1], ARGV[1], ARGV[2], now_ms()
local key = webhook_key(root, id)
local webhook = redis.call('HMGET', key, 'account', 'failing_since', 'disabled_reason')
if not webhook[1] then return '' end
if how == 'ok' then
  redis.call('HSET', key, 'last_success_at', now, 'failing_since', '')
  return ''
end
local since = tonumber(webhook[2] or '') or now
redis.call('HSET', key, 'failing_since', since)
local reason = ''
if how == 'gone' then
  reason = 'answered_410'
elseif now - since > tonumber(ARGV[3]) then
  reason = 'failed_for_days'
end
if reason == '' or webhook[3] ~= '' then return '' end
redis.call('HSET', key, 'disabled_reason', reason)
subscribe(root, id)
return reason
