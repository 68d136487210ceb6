-- Ends the claim of a request, if it still holds the key: frees the key, or keeps an answer under it. A key that has a
-- job stays as it is.
-- KEYS[1] root   ARGV: key, token, answer (JSON, or '' to free), answer ttl ms
-- Answers 1 when the claim was ended, else 0.
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
