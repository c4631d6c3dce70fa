/// A folder whose content may be trusted: nobody else can have put anything there.
#pragma once

#include <filesystem>
#include <string>

namespace tw {

struct PrivateFolder {
  std::filesystem::path path;
  std::string warning;  ///< why it is not the one that was wanted; empty: it is
};

/// `wanted`, made where it is missing, for its owner alone. Where it belongs to somebody else, or
/// others may write there, a folder of this user's own among the temporary ones takes its place.
PrivateFolder private_folder(std::filesystem::path const& wanted);

/// A folder of this user's own among the temporary ones.
std::filesystem::path temporary_folder();

}  // namespace tw
