/// A schedule whose parts are left out one by one.
#pragma once

#include "engine/session/model/model.h"
#include "engine/session/views/gain_views.h"

namespace tw::session {

struct Ablated {
  int number = 0;
  Model model = {};
  int row = -1;
  std::string title = {};
  std::string script = {};
  /// Of the target's template; empty: the script's steps are left out instead.
  Point point = {};
};

}  // namespace tw::session
