/* What lasts until somebody has put it right: told when it begins and ends, and after each report. */
#include "felt.h"

static void tell_fault(struct felt_device *device, uint8_t nature, const char *detail)
{
    struct felt_message message = felt_message_of(FELT_MSG_FAULT);

    felt_put_u8(&message, nature);
    felt_put_text(&message, detail);
    felt_tell(device, &message);
}

static void tell_door(struct felt_device *device)
{
    struct felt_message message = felt_message_of(FELT_MSG_DOOR);

    felt_put_u8(&message, device->door_is_open);
    felt_tell(device, &message);
}

bool felt_has_fault(const struct felt_device *device, uint8_t nature)
{
    return device->faults >> nature & 1;
}

void felt_fault(struct felt_device *device, uint8_t nature, const char *detail)
{
    device->faults |= (uint16_t)(1u << nature);
    tell_fault(device, nature, detail);
}

void felt_fault_cleared(struct felt_device *device, uint8_t nature)
{
    struct felt_message message = felt_message_of(FELT_MSG_FAULT_CLEARED);

    if (!felt_has_fault(device, nature))
        return;
    device->faults &= (uint16_t)~(1u << nature);
    felt_put_u8(&message, nature);
    felt_tell(device, &message);
}

void felt_door(struct felt_device *device, bool is_open)
{
    if (device->door_is_open == is_open)
        return;
    device->door_is_open = is_open;
    tell_door(device);
}

void felt_report_faults(struct felt_device *device)
{
    for (uint8_t nature = 0; nature <= FELT_NATURE_SORT_MODE; nature++)
        if (felt_has_fault(device, nature))
            tell_fault(device, nature, "");
    if (device->door_is_open)
        tell_door(device);
}
