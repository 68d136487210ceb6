-- Stores what a slot's releases are, unless it was changed in the meantime, and writes it into the log.
-- KEYS[1] root
-- ARGV[1] slot, ARGV[2] what is stored, as it was read ('' for nothing), ARGV[3] what is to be stored,
-- ARGV[4] entry of the log as JSON ('' for none), ARGV[5] releases that become usable again, separated by spaces
-- Answers 1 when it is stored, 0 when something else is stored than ARGV[2].
--   <root>:models          hash: slot -> JSON of SlotState in state.ts
--   <root>:models:revision how often one of the slots was changed
--   <root>:models:log      stream: who changed what
--   <root>:models:closed   set of releases (photo@r2) that are unloaded: no new job may name one
local root = KEYS[1]
local stored = redis.call('HGET', root .. ':models', ARGV[1]) or ''
if stored ~= ARGV[2] then return 0 end
redis.call('HSET', root .. ':models', ARGV[1], ARGV[3])
redis.call('INCR', root .. ':models:revision')
for ref in string.gmatch(ARGV[5], '%S+') do redis.call('SREM', root .. ':models:closed', ref) end
if ARGV[4] ~= '' then
  redis.call('XADD', root .. ':models:log', 'MAXLEN', '~', 10000, '*', 'entry', ARGV[4])
end
return 1
