-- How many jobs will probably start before a queued job: those of its account before it, and of each other account as many
-- as have their turn before. That is one for each job of its own account before it, one more when the other account comes
-- first in the turns, and one for each job that its account has running beyond the other's.
-- KEYS[1] root   ARGV: id, most accounts to look at; each further one with an earlier turn is counted with one job
-- Answers its place, where 1 is next; 0 when it is not queued.
-- @include "job.lua"
local root, id, most = KEYS[1], ARGV[1], tonumber(ARGV[2])
local job = job_fields(root, id, 'status', 'account', 'created_at')
if job[1] ~= 'queued' then return 0 end
local account = job[2] or ''
local ready = root .. ':ready:' .. account
local own = redis.call('ZRANK', ready, id) or redis.call('ZCOUNT', ready, '-inf', '(' .. whole(job[3]))
local running = redis.call('SCARD', root .. ':running:' .. account)
local turns = root .. ':turns'
local rank = redis.call('ZRANK', turns, account)
  or redis.call('ZCOUNT', turns, '-inf', string.format('(%.0f', turn_of(root, account)))
local place = 1 + own + math.max(0, rank - most)
local others = redis.call('ZRANGE', turns, 0, most - 1, 'WITHSCORES')
for at = 1, #others, 2 do
  local other, more = others[at], running - math.floor(tonumber(others[at + 1]) / stamp_range)
  local first = (at - 1) / 2 < rank and 1 or 0
  local before = other == account and 0 or own + first + math.max(0, more)
  if before > 0 then place = place + math.min(before, redis.call('ZCARD', root .. ':ready:' .. other)) end
end
return place
