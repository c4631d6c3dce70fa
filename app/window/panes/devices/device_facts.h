// SPDX-License-Identifier: GPL-3.0-or-later
/// What is known about a device, in words for its view.
#pragma once

#include "app/shared/devices.h"
#include "widgets/devices/device_row.h"

namespace tw {

/// Address, processor, caches, time of an answer, clock: what is not known is left out.
std::vector<DeviceFigure> figures_of(DeviceState const& state, QString const& asked_at);
std::vector<DeviceRoof> roofs_of(Roofs const& roofs);
std::vector<DeviceLogLine> lines_of(std::vector<DeviceEvent> const& events);
/// The last ten minutes in columns, the oldest first; `now` by this machine's clock.
std::vector<DeviceActivity> activity_of(std::vector<DeviceEvent> const& events, double now);

}  // namespace tw
