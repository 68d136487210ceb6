-- Renews the claim of a request that is still being worked on. One that has expired, as while Redis was not reachable,
-- is claimed again unless another request holds the key. A key that has a job or an answer stays as it is.
-- KEYS[1] root   ARGV: key, hash of the request, token of this claim, claim ttl ms
-- Answers 1 when this request holds the claim, else 0.
local key = ARGV[1]
local first = redis.call('HMGET', key, 'token', 'job', 'answer')
if first[1] and first[1] ~= ARGV[3] or first[2] or first[3] then return 0 end
redis.call('HSET', key, 'hash', ARGV[2], 'token', ARGV[3])
redis.call('PEXPIRE', key, ARGV[4])
return 1
