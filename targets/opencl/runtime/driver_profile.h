/// What the drivers behind the ICD loader need of the system when they serve a client.
#pragma once

#include "engine/device/driver_profile.h"

namespace tw::opencl {

DriverProfile const& driver_profile();

}  // namespace tw::opencl
