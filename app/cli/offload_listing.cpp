#include "app/cli/offload_listing.h"

#include <fmt/format.h>

namespace tw::cli {

void print_offloaded(Offload const& found, std::string const& home, std::string const& there) {
  for (OffloadedKernel const& one : found.kernels)
    fmt::print("{:<64} {}\n", one.name,
               one.stays_because.empty() ? there : home + ": " + one.stays_because);
}

Json offload_json(Offload const& found, std::string const& home, std::string const& there) {
  Json kernels = Json::array();
  for (OffloadedKernel const& one : found.kernels) {
    bool goes = one.stays_because.empty();
    Json kernel = {{"name", one.name}, {"device", goes ? there : home}};
    if (!goes) kernel["reason"] = one.stays_because;
    kernels.push_back(kernel);
  }
  return {{"home", home}, {"there", there}, {"kernels", kernels}};
}

}  // namespace tw::cli
