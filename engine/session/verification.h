/// How models are verified, besides what `VerifyOptions` says.
#pragma once

#include "engine/session/use_cases.h"

namespace tw::session {

/// Stored inputs but the first may be shapes and axes that the model needs before it runs.
enum class KnownInputs : uint8_t {
  kTell,  ///< their elements become constants where that settles the model: `verify_folder`
  kKeep,  ///< nothing but their shapes is known beforehand
};

/// As `verify_folder`, with that choice.
std::vector<VerifiedSet> verify_folder_knowing(std::filesystem::path const& folder,
                                               Backend const& backend, Device& device,
                                               VerifyOptions const& options, KnownInputs known,
                                               StopToken stop = {});

}  // namespace tw::session
