/// An array as what is sent and written.
#pragma once

#include <cstddef>
#include <span>

#include "engine/tensor/ndarray.h"

namespace tw {

inline std::span<std::byte const> bytes_of(NDArray const& array) {
  return {static_cast<std::byte const*>(array.data()), size_t(array.byte_size())};
}

}  // namespace tw
