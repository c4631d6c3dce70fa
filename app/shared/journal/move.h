/// Views that stand in another place, as actions.
#pragma once

#include <string>

namespace tw::journal {

/// To the left, the centre, below, below at the right, a window of its own, or back home.
struct MoveView {
  std::string view;
  std::string place;
};
/// Every view where it stands at first, in the sizes of a first start.
struct ResetLayout {};

}  // namespace tw::journal
