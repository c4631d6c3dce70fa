/// What NVIDIA's driver needs of the system when it serves a client.
#pragma once

#include "engine/device/driver_profile.h"

namespace tw::cuda {

DriverProfile const& driver_profile();

}  // namespace tw::cuda
