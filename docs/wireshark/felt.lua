-- Shows the serial frames of felt's devices in Wireshark: see README.md in this folder.
--
-- A record of the capture is what one read gave: several frames, or a part of one. The tag is shown
-- and not checked: the key is with felt and the device.

-- The rest of this file needs no change when a message is added: this block is written from felt's
-- catalogue by `make docs`.
-- generated: catalogue
local MESSAGES = {
    [0x01] = { name = "report", fields = {} },
    [0x02] = { name = "set_watchdog", fields = {
        { name = "milliseconds", type = "u16" },
    } },
    [0x03] = { name = "quiesce", fields = {} },
    [0x10] = { name = "shuffle", fields = {
        { name = "deck", type = "text" },
    } },
    [0x11] = { name = "set_game", fields = {
        { name = "game", type = "text" },
    } },
    [0x12] = { name = "show_payouts", fields = {
        { name = "wager", type = "text" },
        { name = "hands", type = "u8" },
        { name = "payouts", type = "u32s" },
    } },
    [0x18] = { name = "arm", fields = {
        { name = "round", type = "u32" },
        { name = "stacks", type = "u8s" },
    } },
    [0x19] = { name = "dispense", fields = {
        { name = "round", type = "u32" },
        { name = "number", type = "u8" },
        { name = "cards", type = "u8" },
    } },
    [0x1a] = { name = "stop", fields = {} },
    [0x20] = { name = "lights", fields = {
        { name = "lock_out", type = "word", words = { "off", "on", "blink" } },
        { name = "deal", type = "word", words = { "off", "on", "blink" } },
        { name = "warning", type = "word", words = { "off", "on", "blink" } },
    } },
    [0x21] = { name = "tone", fields = {
        { name = "tone", type = "word", words = { "none", "attention", "refused", "win" } },
    } },
    [0x28] = { name = "lock", fields = {} },
    [0x29] = { name = "unlock", fields = {} },
    [0x2a] = { name = "set_lamp", fields = {
        { name = "lamp", type = "word", words = { "off", "invite", "placed", "accepted" } },
    } },
    [0x2b] = { name = "return", fields = {
        { name = "cents", type = "u64" },
    } },
    [0x2c] = { name = "give_back", fields = {
        { name = "boot", type = "u32" },
        { name = "event", type = "u32" },
        { name = "cents", type = "u64" },
    } },
    [0x30] = { name = "show_balance", fields = {
        { name = "cents", type = "u64" },
    } },
    [0x31] = { name = "prompt", fields = {
        { name = "text", type = "text" },
    } },
    [0x32] = { name = "credit", fields = {
        { name = "transfer", type = "text" },
        { name = "cents", type = "u64" },
        { name = "balance", type = "u64" },
    } },
    [0x33] = { name = "offer", fields = {
        { name = "wager", type = "text" },
        { name = "offered", type = "flag" },
        { name = "why", type = "text" },
    } },
    [0x34] = { name = "refused", fields = {
        { name = "request", type = "word", words = { "wager", "late_wager", "wager_removed", "sat", "left", "buy_in", "cash_out", "decision" } },
        { name = "event", type = "u32" },
        { name = "name", type = "text" },
        { name = "reason", type = "text" },
        { name = "balance", type = "u64" },
    } },
    [0x35] = { name = "seat_state", fields = {
        { name = "round", type = "u32" },
        { name = "stage", type = "word", words = { "closed", "between rounds", "betting", "no more bets", "deciding" } },
        { name = "held", type = "flag" },
        { name = "player", type = "text" },
    } },
    [0x36] = { name = "wager_state", fields = {
        { name = "wager", type = "text" },
        { name = "called", type = "text" },
        { name = "least", type = "u64" },
        { name = "most", type = "u64" },
        { name = "down", type = "u64" },
        { name = "stands", type = "word", words = { "offered", "down", "withheld", "needs a player", "needs another wager" } },
    } },
    [0x37] = { name = "ask_decision", fields = {
        { name = "street", type = "u8" },
        { name = "called", type = "text" },
        { name = "amounts", type = "u32s" },
        { name = "otherwise", type = "word", words = { "check", "fold" } },
        { name = "chosen", type = "u64" },
    } },
    [0x38] = { name = "show_meter", fields = {
        { name = "meter", type = "text" },
        { name = "level", type = "text" },
        { name = "cents", type = "u64" },
    } },
    [0x39] = { name = "show_win", fields = {
        { name = "table", type = "text" },
        { name = "seat", type = "u8" },
        { name = "level", type = "text" },
        { name = "cents", type = "u64" },
        { name = "base", type = "u64" },
    } },
    [0x3a] = { name = "show_notice", fields = {
        { name = "notice", type = "word", words = { "none", "link down", "out of order" } },
    } },
    [0x3c] = { name = "show", fields = {
        { name = "what", type = "text" },
        { name = "value", type = "text" },
    } },
    [0x41] = { name = "fault", fields = {
        { name = "nature", type = "word", words = { "jam", "stopped", "incomplete", "door", "lamp", "sensor", "power", "internal", "sort mode" } },
        { name = "detail", type = "text" },
    } },
    [0x42] = { name = "fault_cleared", fields = {
        { name = "nature", type = "word", words = { "jam", "stopped", "incomplete", "door", "lamp", "sensor", "power", "internal", "sort mode" } },
    } },
    [0x43] = { name = "door", fields = {
        { name = "open", type = "flag" },
    } },
    [0x44] = { name = "went_safe", fields = {} },
    [0x50] = { name = "cycle_started", fields = {
        { name = "deck", type = "text" },
    } },
    [0x51] = { name = "cycle_completed", fields = {
        { name = "deck", type = "text" },
        { name = "count", type = "u8" },
    } },
    [0x52] = { name = "cycle_failed", fields = {
        { name = "deck", type = "text" },
        { name = "nature", type = "word", words = { "jam", "stopped", "incomplete" } },
    } },
    [0x53] = { name = "mode", fields = {
        { name = "mode", type = "word", words = { "shuffle", "sort", "other" } },
        { name = "holds", type = "text" },
    } },
    [0x54] = { name = "game", fields = {
        { name = "game", type = "text" },
    } },
    [0x55] = { name = "hands", fields = {
        { name = "hands", type = "u8" },
    } },
    [0x56] = { name = "shuffler_state", fields = {
        { name = "cycle", type = "word", words = { "idle", "running", "complete", "failed" } },
        { name = "mode", type = "word", words = { "shuffle", "sort", "other" } },
        { name = "holds", type = "text" },
        { name = "count", type = "u8" },
        { name = "game", type = "text" },
    } },
    [0x58] = { name = "loaded", fields = {
        { name = "deck", type = "text" },
        { name = "count", type = "u8" },
    } },
    [0x59] = { name = "dispensed", fields = {
        { name = "round", type = "u32" },
        { name = "number", type = "u8" },
        { name = "cards", type = "u8" },
        { name = "faces", type = "covered" },
    } },
    [0x5a] = { name = "taken", fields = {
        { name = "number", type = "u8" },
    } },
    [0x5b] = { name = "face_up_card", fields = {
        { name = "number", type = "u8" },
    } },
    [0x5c] = { name = "stub", fields = {
        { name = "count", type = "u8" },
    } },
    [0x5d] = { name = "empty", fields = {} },
    [0x5e] = { name = "shoe_state", fields = {
        { name = "round", type = "u32" },
        { name = "last", type = "u8" },
        { name = "last_cards", type = "u8" },
        { name = "inside", type = "u8" },
        { name = "on_its_way", type = "u8" },
    } },
    [0x60] = { name = "pressed", fields = {
        { name = "button", type = "word", words = { "lock_out", "deal", "void", "floor_key" } },
    } },
    [0x61] = { name = "lights_read", fields = {
        { name = "lock_out", type = "word", words = { "off", "on", "blink" } },
        { name = "deal", type = "word", words = { "off", "on", "blink" } },
        { name = "warning", type = "word", words = { "off", "on", "blink" } },
    } },
    [0x68] = { name = "lock_state", fields = {
        { name = "locked", type = "flag" },
    } },
    [0x69] = { name = "wager", fields = {
        { name = "wager", type = "text" },
        { name = "cents", type = "u64" },
        { name = "tender", type = "text" },
    } },
    [0x6a] = { name = "late_wager", fields = {
        { name = "wager", type = "text" },
        { name = "cents", type = "u64" },
        { name = "sensed", type = "word", words = { "before the lock", "after the lock" } },
    } },
    [0x6b] = { name = "wager_removed", fields = {
        { name = "wager", type = "text" },
    } },
    [0x6c] = { name = "lamp_read", fields = {
        { name = "lamp", type = "word", words = { "off", "invite", "placed", "accepted" } },
    } },
    [0x6d] = { name = "chips_returned", fields = {
        { name = "chips", type = "u8" },
    } },
    [0x6e] = { name = "returned", fields = {
        { name = "events", type = "u32s" },
        { name = "to", type = "word", words = { "player", "dealer" } },
    } },
    [0x70] = { name = "sat", fields = {
        { name = "player", type = "text" },
    } },
    [0x71] = { name = "left", fields = {} },
    [0x72] = { name = "buy_in", fields = {
        { name = "transfer", type = "text" },
        { name = "cents", type = "u64" },
    } },
    [0x73] = { name = "cash_out", fields = {
        { name = "transfer", type = "text" },
        { name = "cents", type = "u64" },
    } },
    [0x74] = { name = "decision", fields = {
        { name = "choice", type = "word", words = { "wager", "check", "fold" } },
        { name = "cents", type = "u64" },
    } },
    [0x78] = { name = "showing", fields = {
        { name = "meter", type = "text" },
        { name = "level", type = "text" },
        { name = "cents", type = "u64" },
    } },
    [0x7c] = { name = "reading", fields = {
        { name = "what", type = "text" },
        { name = "value", type = "text" },
        { name = "covered", type = "covered" },
    } },
}
local PAYLOADS = {
    hello = { fields = {
        { name = "protocol", type = "u8" },
        { name = "nonce", type = "bytes16" },
    } },
    identity = { fields = {
        { name = "protocol", type = "u8" },
        { name = "kind", type = "word", words = { "shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other" } },
        { name = "model", type = "text" },
        { name = "serial_number", type = "text" },
        { name = "firmware", type = "bytes32" },
        { name = "boot", type = "u32" },
        { name = "capabilities", type = "text" },
        { name = "nonce", type = "bytes16" },
    } },
    result = { fields = {
        { name = "command", type = "u32" },
        { name = "outcome", type = "word", words = { "done", "accepted", "refused", "unknown" } },
        { name = "detail", type = "text" },
    } },
}
-- end of catalogue

local KINDS = {
    [0x01] = "HELLO", [0x02] = "COMMAND", [0x03] = "POLL", [0x04] = "ACK",
    [0x81] = "IDENTITY", [0x82] = "RESULT", [0x83] = "IDLE", [0x84] = "EVENT",
}
local HELLO, COMMAND, POLL, IDENTITY, RESULT, EVENT = 0x01, 0x02, 0x03, 0x81, 0x82, 0x84
local FIRST_EVENT_CODE = 0x40
local HEAD, TAG, CHECK, PROOF = 7, 8, 2, 16

local felt = Proto("felt", "felt device protocol")

-- Fields -----------------------------------------------------------------------

local f = {
    stuffed = ProtoField.bytes("felt.stuffed", "Stuffed", base.SPACE),
    kind = ProtoField.uint8("felt.kind", "Kind", base.HEX, KINDS),
    address = ProtoField.uint8("felt.address", "Address"),
    session = ProtoField.uint8("felt.session", "Session"),
    seq = ProtoField.uint32("felt.seq", "Number"),
    payload = ProtoField.bytes("felt.payload", "Payload"),
    tag = ProtoField.bytes("felt.tag", "Tag (not checked)"),
    check = ProtoField.uint16("felt.check", "Check", base.HEX),
    check_good = ProtoField.bool("felt.check.good", "Check is right"),
    id = ProtoField.uint32("felt.id", "Command", base.HEX),
    acknowledged = ProtoField.uint32("felt.acknowledged", "Acknowledges up to event"),
    code = ProtoField.uint8("felt.code", "Code", base.HEX),
    message = ProtoField.string("felt.message", "Message"),
    proof = ProtoField.bytes("felt.proof", "Proof (not checked)"),
}

local e = {
    stuffing = ProtoExpert.new("felt.bad_stuffing", "Not a frame: the stuffing is wrong",
        expert.group.MALFORMED, expert.severity.ERROR),
    short = ProtoExpert.new("felt.short", "Not a frame: too short",
        expert.group.MALFORMED, expert.severity.ERROR),
    check = ProtoExpert.new("felt.bad_check", "The check is wrong",
        expert.group.CHECKSUM, expert.severity.ERROR),
    kind = ProtoExpert.new("felt.unknown_kind", "There is no such kind of packet",
        expert.group.PROTOCOL, expert.severity.WARN),
    message = ProtoExpert.new("felt.unknown_message", "Not in the catalogue",
        expert.group.UNDECODED, expert.severity.WARN),
    payload = ProtoExpert.new("felt.bad_payload", "The payload does not fit what it should be",
        expert.group.MALFORMED, expert.severity.ERROR),
    part = ProtoExpert.new("felt.part", "A frame that goes on in a later record",
        expert.group.REASSEMBLE, expert.severity.NOTE),
}

local function words_of(field)
    local words = {}
    for number, word in ipairs(field.words) do words[number - 1] = word end
    return words
end

local MAKERS = {
    u8 = function(abbr, name) return ProtoField.uint8(abbr, name) end,
    u16 = function(abbr, name) return ProtoField.uint16(abbr, name) end,
    u32 = function(abbr, name) return ProtoField.uint32(abbr, name) end,
    u64 = function(abbr, name) return ProtoField.uint64(abbr, name) end,
    flag = function(abbr, name) return ProtoField.bool(abbr, name) end,
    word = function(abbr, name, field)
        return ProtoField.uint8(abbr, name, base.DEC, words_of(field))
    end,
    text = function(abbr, name) return ProtoField.string(abbr, name, base.UNICODE) end,
    u8s = function(abbr, name) return ProtoField.uint8(abbr, name) end,
    u32s = function(abbr, name) return ProtoField.uint32(abbr, name) end,
    covered = function(abbr, name) return ProtoField.bytes(abbr, name .. " (covered)") end,
    bytes16 = function(abbr, name) return ProtoField.bytes(abbr, name) end,
    bytes32 = function(abbr, name) return ProtoField.bytes(abbr, name) end,
}

local function with_fields(shape, name)
    for _, field in ipairs(shape.fields) do
        field.proto = MAKERS[field.type]("felt." .. name .. "." .. field.name, field.name, field)
        f[#f + 1] = field.proto
    end
end

for _, shape in pairs(MESSAGES) do with_fields(shape, shape.name) end
for name, shape in pairs(PAYLOADS) do with_fields(shape, name) end

local all_fields = {}
for _, field in pairs(f) do all_fields[#all_fields + 1] = field end
felt.fields = all_fields
felt.experts = { e.stuffing, e.short, e.check, e.kind, e.message, e.payload, e.part }

-- Frames -----------------------------------------------------------------------

-- Lua's operators on bits differ from version to version; arithmetic does not.
local function xor(a, b)
    local result, place = 0, 1
    while a > 0 or b > 0 do
        if a % 2 ~= b % 2 then result = result + place end
        a, b, place = math.floor(a / 2), math.floor(b / 2), place * 2
    end
    return result
end

local CRC = {}
for byte = 0, 255 do
    local value = byte * 256
    for _ = 1, 8 do
        local high = value >= 0x8000
        value = value * 2 % 0x10000
        if high then value = xor(value, 0x1021) end
    end
    CRC[byte] = value
end

local function crc16(block, length)
    local value = 0xFFFF
    for at = 0, length - 1 do
        local index = xor(math.floor(value / 256), block:get_index(at))
        value = xor(value % 256 * 256, CRC[index])
    end
    return value
end

local function unstuffed(stuffed)
    local block = {}
    local at, length = 0, stuffed:len()
    while at < length do
        if at > 0 then block[#block + 1] = "00" end
        local count = stuffed:get_index(at)
        if count == 0 or at + count > length then return nil end
        for place = at + 1, at + count - 1 do
            block[#block + 1] = string.format("%02x", stuffed:get_index(place))
        end
        at = at + count
    end
    return ByteArray.new(table.concat(block))
end

-- Payloads ---------------------------------------------------------------------

local SIZES = { u8 = 1, u16 = 2, u32 = 4, u64 = 8, flag = 1, word = 1, bytes16 = 16, bytes32 = 32 }
local EACH = { text = 1, u8s = 1, u32s = 4, covered = 1 }
local MOST = { text = 80, u8s = 32, u32s = 16, covered = 32 }

local READERS = {
    u8 = function(range) return tostring(range:uint()) end,
    u16 = function(range) return tostring(range:uint()) end,
    u32 = function(range) return tostring(range:uint()) end,
    u64 = function(range) return tostring(range:uint64()) end,
    flag = function(range) return range:uint() == 1 and "true" or "false" end,
    word = function(range, field) return field.words[range:uint() + 1] end,
    bytes16 = function(range) return tostring(range:bytes()) end,
    bytes32 = function(range) return tostring(range:bytes()) end,
}

-- One field, shown. Where it ends and its value in words; nothing if there is none.
local function counted(range, at, field, tree)
    if at >= range:len() then return nil end
    local count = range(at, 1):uint()
    local each = EACH[field.type]
    local size = count * each
    if count > MOST[field.type] or at + 1 + size > range:len() then return nil end
    at = at + 1
    if field.type == "text" then
        if size == 0 then
            tree:add(field.proto, range(at - 1, 1), "")
            return at, '""'
        end
        tree:add_packet_field(field.proto, range(at, size), ENC_UTF_8)
        return at + size, '"' .. range(at, size):string(ENC_UTF_8) .. '"'
    end
    if field.type == "covered" then
        if size > 0 then tree:add(field.proto, range(at, size)) end
        -- Faces are nothing for a list of packets, covered or not.
        return at + size, count .. " covered"
    end
    local said = {}
    for place = at, at + size - 1, each do
        tree:add(field.proto, range(place, each))
        said[#said + 1] = tostring(range(place, each):uint())
    end
    return at + size, "[" .. table.concat(said, " ") .. "]"
end

local function fixed(range, at, field, tree)
    local size = SIZES[field.type]
    if at + size > range:len() then return nil end
    local part = range(at, size)
    local value = READERS[field.type](part, field)
    if value == nil or (field.type == "flag" and part:uint() > 1) then return nil end
    tree:add(field.proto, part)
    return at + size, value
end

-- The fields of a payload. What they say in one line; nothing if they do not fit.
local function shown(range, fields, tree)
    local at, said = 0, {}
    local length = range and range:len() or 0
    for _, field in ipairs(fields) do
        if length == 0 then return nil end
        local read = EACH[field.type] and counted or fixed
        local value
        at, value = read(range, at, field, tree)
        if at == nil then return nil end
        if field.type ~= "bytes16" and field.type ~= "bytes32" then
            said[#said + 1] = field.name .. "=" .. value
        end
    end
    if at ~= length then return nil end
    return table.concat(said, " ")
end

local function part_of(range, from, to)
    if from >= to then return nil end
    return range(from, to - from)
end

local function show_message(range, tree, is_command)
    if range == nil then
        tree:add_proto_expert_info(e.payload)
        return "nothing"
    end
    local code = range(0, 1):uint()
    tree:add(f.code, range(0, 1))
    local shape = MESSAGES[code]
    if shape == nil or (code < FIRST_EVENT_CODE) ~= is_command then
        tree:add_proto_expert_info(e.message)
        return string.format("unknown 0x%02x", code)
    end
    local below = tree:add(f.message, range, shape.name)
    local said = shown(part_of(range, 1, range:len()), shape.fields, below)
    if said == nil then
        below:add_proto_expert_info(e.payload)
        return shape.name .. " (does not fit)"
    end
    return said == "" and shape.name or shape.name .. " " .. said
end

local function show_shape(name, range, tree)
    local said = shown(range, PAYLOADS[name].fields, tree)
    if said == nil then tree:add_proto_expert_info(e.payload) end
    return said or "does not fit"
end

local SHOW = {
    [HELLO] = function(range, tree) return show_shape("hello", range, tree) end,
    [COMMAND] = function(range, tree)
        if range == nil or range:len() < 4 then
            tree:add_proto_expert_info(e.payload)
            return "does not fit"
        end
        tree:add(f.id, range(0, 4))
        local said = show_message(part_of(range, 4, range:len()), tree, true)
        return string.format("id=%08x %s", range(0, 4):uint(), said)
    end,
    [POLL] = function(range, tree)
        if range == nil or range:len() ~= 4 then
            tree:add_proto_expert_info(e.payload)
            return "does not fit"
        end
        tree:add(f.acknowledged, range)
        return "has=" .. range:uint()
    end,
    [IDENTITY] = function(range, tree)
        if range == nil then return "asks for a hello" end
        local cut = math.max(range:len() - PROOF, 0)
        local said = show_shape("identity", part_of(range, 0, cut), tree)
        tree:add(f.proof, range(cut))
        return said
    end,
    [RESULT] = function(range, tree)
        local said = show_shape("result", range, tree)
        if range == nil or range:len() < 4 then return said end
        tree:add(f.id, range(0, 4))
        -- As it is written beside the command.
        return (said:gsub("^command=%d+", string.format("id=%08x", range(0, 4):uint())))
    end,
    [EVENT] = function(range, tree) return show_message(range, tree, false) end,
}

-- One frame --------------------------------------------------------------------

-- `stuffed` is the frame's bytes without its zero, `range` where they are in the record.
local function show_frame(stuffed, range, root)
    local tree = root:add(felt, range)
    tree:add(f.stuffed, range)
    local block = unstuffed(stuffed)
    if block == nil then
        tree:add_proto_expert_info(e.stuffing)
        tree:append_text(": no frame")
        return "no frame"
    end
    if block:len() < HEAD + CHECK then
        tree:add_proto_expert_info(e.short)
        tree:append_text(": too short")
        return "no frame"
    end
    local tvb = block:tvb("felt block")
    local length = block:len()
    local kind = tvb(0, 1):uint()
    tree:add(f.kind, tvb(0, 1))
    tree:add(f.address, tvb(1, 1))
    tree:add(f.session, tvb(2, 1))
    tree:add(f.seq, tvb(3, 4))
    local good = crc16(block, length - CHECK) == tvb(length - CHECK, CHECK):uint()
    local name = KINDS[kind]
    local said = ""
    if name == nil then
        tree:add_proto_expert_info(e.kind)
        name = string.format("kind 0x%02x", kind)
    elseif good then
        local tag = (kind == HELLO or kind == IDENTITY) and 0 or TAG
        local cut = length - CHECK - tag
        if cut < HEAD then
            tree:add_proto_expert_info(e.short)
        else
            local payload = part_of(tvb, HEAD, cut)
            local below = payload and tree:add(f.payload, payload) or tree
            local show = SHOW[kind]
            if show then
                said = show(payload, below)
            elseif payload then
                below:add_proto_expert_info(e.payload)
            end
            if tag > 0 then tree:add(f.tag, tvb(cut, tag)) end
        end
    end
    local check = tree:add(f.check, tvb(length - CHECK, CHECK))
    check:add(f.check_good, tvb(length - CHECK, CHECK), good)
    if not good then
        check:add_proto_expert_info(e.check)
        said = "bad check"
    end
    local head = string.format("%s %d s%d #%d", name, tvb(1, 1):uint(), tvb(2, 1):uint(),
        tvb(3, 4):uint())
    local line = said == "" and head or head .. " " .. said
    tree:append_text(": " .. line)
    return line
end

-- Records ----------------------------------------------------------------------

-- What a record left over, by direction, while they are gone through for the first time; and by a
-- record's number what it begins with, for every later time.
local left_over, begins_with = {}, {}

function felt.init()
    left_over, begins_with = {}, {}
end

local function before(tvb, pinfo)
    if not pinfo.visited then
        local direction = pinfo.p2p_dir or 0
        local held = left_over[direction] or ""
        begins_with[pinfo.number] = held
        local data = held .. tvb:raw()
        local rest = data:match("[^%z]*$")
        -- No frame is that long: it is noise.
        left_over[direction] = #rest <= 219 and rest or ""
    end
    return begins_with[pinfo.number] or ""
end

function felt.dissector(tvb, pinfo, root)
    pinfo.cols.protocol = "felt"
    local held = before(tvb, pinfo)
    local bytes = tvb:bytes()
    local lines = {}
    local start = 0
    for at = 0, tvb:len() - 1 do
        if bytes:get_index(at) == 0 then
            local stuffed = held .. tvb:raw(start, at - start)
            if #stuffed > 0 then
                local coded = ByteArray.new(Struct.tohex(stuffed))
                lines[#lines + 1] = show_frame(coded, tvb(start, at - start + 1), root)
            end
            held, start = "", at + 1
        end
    end
    if start < tvb:len() then
        local tree = root:add(felt, tvb(start), "felt, a part of a frame")
        tree:add_proto_expert_info(e.part)
        lines[#lines + 1] = "a part of a frame"
    end
    pinfo.cols.info = table.concat(lines, " | ")
    return tvb:len()
end

DissectorTable.get("wtap_encap"):add((wtap or wtap_encaps).USER0, felt)
