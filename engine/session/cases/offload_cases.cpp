#include "engine/session/cases/offload_cases.h"

#include "engine/session/model/loaded_model.h"

namespace tw::session {

Result<Offload> offload_rest_of(LoadedModel const& model, Backend const& able,
                                std::string const& home, std::string const& there) {
  LoadedModel const& whole = model.base ? *model.base : model;
  return offload_rest(whole.after, whole.plan, able, home, there);
}

}  // namespace tw::session
