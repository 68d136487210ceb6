-- Ends a claim that is still this request's: frees the key, or keeps an answer under it. A job stays bound.
-- KEYS[1] root   ARGV: key, token, answer (JSON, or '' to free), answer ttl ms
-- Answers 1 when it did.
local key = ARGV[1]
local first = redis.call('HMGET', key, 'token', 'job')
if first[1] ~= ARGV[2] or first[2] then return 0 end
if ARGV[3] == '' then
  redis.call('DEL', key)
else
  redis.call('HSET', key, 'answer', ARGV[3])
  redis.call('PEXPIRE', key, ARGV[4])
end
return 1
