-- How many jobs will probably start before a queued job: those of its account before it, and of each other account as many
-- as have their turn before. That is one for each job of its own account before it, one more when the other account comes
-- first in the turns, and one for each job that its account has running beyond the other's.
-- And when it will probably start: what those jobs and the running ones still take, over as many as run at once (speeds.lua).
-- A quick job waits for quick jobs alone, as there is a place beside the long ones (take.lua).
-- KEYS[1] root   ARGV: id, most accounts to look at; each further one with an earlier turn is counted with one job;
--                most jobs ahead, and most running ones, whose time is looked up: further ones are taken to be like these
-- Answers {place, ms}: its place, where 1 is next, and 0 when it is not queued; ms until it starts, and -1 when nothing runs,
-- the job waits for another attempt, or the speed of one of the releases is not known.
-- @include "job.lua"
-- @include "speeds.lua"
local root, id, most, most_jobs = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local job = job_fields(root, id, 'status', 'account', 'created_at', 'quick')
if job[1] ~= 'queued' then return { 0, -1 } end
local account = job[2] or ''
local is_quick = job[4] == '1'
local lane = root .. (is_quick and ':quick-' or ':')
local ready = lane .. 'ready:' .. account
local ready_place = redis.call('ZRANK', ready, id)
local own = ready_place or redis.call('ZCOUNT', ready, '-inf', '(' .. whole(job[3]))
local running = redis.call('SCARD', root .. ':running:' .. account)
local turns = lane .. 'turns'
local rank = redis.call('ZRANK', turns, account)
  or redis.call('ZCOUNT', turns, '-inf', string.format('(%.0f', turn_of(root, account)))
local place = 1 + own + math.max(0, rank - most)
local ahead = {}
-- The first jobs of an account are those that start before.
local function look_up(of, count)
  local last = math.min(count, most_jobs - #ahead) - 1
  if last < 0 then return end
  for _, other in ipairs(redis.call('ZRANGE', lane .. 'ready:' .. of, 0, last)) do ahead[#ahead + 1] = other end
end
look_up(account, own)
local others = redis.call('ZRANGE', turns, 0, most - 1, 'WITHSCORES')
for at = 1, #others, 2 do
  local other, more = others[at], running - math.floor(tonumber(others[at + 1]) / stamp_range)
  local first = (at - 1) / 2 < rank and 1 or 0
  local before = other == account and 0 or own + first + math.max(0, more)
  if before > 0 then
    place = place + math.min(before, redis.call('ZCARD', lane .. 'ready:' .. other))
    look_up(other, before)
  end
end

local function ms_until_start()
  local running_jobs = redis.call('SRANDMEMBER', root .. ':processing', most_jobs)
  if not ready_place or #running_jobs == 0 then return -1 end
  local left, waiting, at_once, speeds = 0, 0, 0, {}
  for _, other in ipairs(running_jobs) do
    if not is_quick or job_fields(root, other, 'quick')[1] == '1' then
      local takes = left_ms(root, other, speeds)
      if not takes then return -1 end
      left, at_once = left + takes, at_once + 1
    end
  end
  for _, other in ipairs(ahead) do
    local takes = expected_ms(root, other, speeds)
    if not takes then return -1 end
    waiting = waiting + takes
  end
  if #ahead > 0 then waiting = waiting * (place - 1) / #ahead end
  local places = is_quick and math.max(1, at_once) or redis.call('SCARD', root .. ':processing')
  return math.floor(left / math.max(1, at_once) + waiting / places)
end

return { place, ms_until_start() }
