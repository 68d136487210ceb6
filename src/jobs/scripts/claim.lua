-- Claims an idempotency key for a request, or answers what the first request under it has made.
-- A claim expires within seconds and its request renews it (renew.lua), so the claim of a server that died ends soon.
-- KEYS[1] root   ARGV: key, hash of the request, token of this claim, claim ttl ms
-- Answers {'new'} | {'reused'} | {'running', ms until the claim expires unless it is renewed}
--       | {'job', id, '1' when the request joined that job, else ''} | {'answer', JSON}
local key = ARGV[1]
local first = redis.call('HMGET', key, 'hash', 'token', 'job', 'answer', 'joined')
if not first[1] then
  redis.call('HSET', key, 'hash', ARGV[2], 'token', ARGV[3])
  redis.call('PEXPIRE', key, ARGV[4])
  return { 'new' }
end
if first[1] ~= ARGV[2] then return { 'reused' } end
if first[3] then return { 'job', first[3], first[5] or '' } end
if first[4] then return { 'answer', first[4] } end
if first[2] == ARGV[3] then return { 'new' } end
return { 'running', redis.call('PTTL', key) }
