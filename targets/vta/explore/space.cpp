#include "targets/vta/explore/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"
#include "targets/vta/explore/design.h"

namespace tw::vta {
namespace {

struct Axis {
  std::vector<int> values;
  void (*set)(Configuration&, int);
};

/// The shape of elements first: what was made for one serves the designs behind it.
std::vector<Axis> axes_of(DesignSpace const& space) {
  std::vector<Axis> axes = {
      {space.log_block, [](Configuration& c, int value) { c.log_block = value; }},
      {space.log_batch, [](Configuration& c, int value) { c.log_batch = value; }},
      {space.isa, [](Configuration& c, int value) { c.isa = IsaVersion(value); }},
      {space.memory_bits, [](Configuration& c, int value) { c.memory_bits = value; }},
      {space.log_uop_bytes, [](Configuration& c, int value) { c.log_uop_bytes = value; }},
      {space.log_inp_bytes, [](Configuration& c, int value) { c.log_inp_bytes = value; }},
      {space.log_wgt_bytes, [](Configuration& c, int value) { c.log_wgt_bytes = value; }},
      {space.log_acc_bytes, [](Configuration& c, int value) { c.log_acc_bytes = value; }},
  };
  for (Axis& axis : axes) {
    std::ranges::sort(axis.values);
    auto [begin, end] = std::ranges::unique(axis.values);
    axis.values.erase(begin, end);
  }
  return axes;
}

bool too_large(Configuration const& c, DesignSpace const& space) {
  return (space.most_sram > 0 && sram_bytes(c) > space.most_sram) ||
         (space.most_products > 0 && c.macs_per_cycle() > space.most_products);
}

/// Where nothing is left.
std::unexpected<Error> nothing_legal(Designs const& designs, std::string const& first) {
  if (designs.too_large > 0)
    return bad_input("nothing_fits", fmt::format("{} can be built, all beyond the bounds",
                                                 count_text(designs.too_large, "design")));
  return bad_input("nothing_fits", fmt::format("{}, none of which can be built: {}",
                                               count_text(designs.illegal, "design"), first));
}

}  // namespace

Result<Designs> designs_in(DesignSpace const& space, int64_t most) {
  std::vector<Axis> axes = axes_of(space);
  int64_t count = 1;
  for (Axis const& axis : axes) {
    count *= int64_t(axis.values.size());
    if (count > most)
      return bad_input("too_many_designs",
                       fmt::format("there are more than {} combinations of these values: name "
                                   "fewer of them",
                                   most));
  }
  Designs designs;
  std::string first;  // why it cannot be built
  for (int64_t i = 0; i < count; ++i) {
    Configuration configuration = space.base;
    configuration.name.clear();
    int64_t rest = i;
    for (size_t a = axes.size(); a-- > 0;) {
      int64_t values = int64_t(axes[a].values.size());
      axes[a].set(configuration, axes[a].values[size_t(rest % values)]);
      rest /= values;
    }
    if (Status legal = validate(configuration); !legal)
      first = designs.illegal++ == 0 ? legal.error().message : first;
    else if (too_large(configuration, space))
      ++designs.too_large;
    else
      designs.legal.push_back(std::move(configuration));
  }
  if (designs.legal.empty()) return nothing_legal(designs, first);
  return designs;
}

}  // namespace tw::vta
