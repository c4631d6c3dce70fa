/// Products of warpgroups as PTX, which LLVM 19 has no intrinsics for, and the same in CUDA C.
#pragma once

#include <map>
#include <string>

namespace tw {
struct DeviceShell;
}

namespace tw::cuda {

void add_warpgroup_calls(DeviceShell& shell);
/// Patterns as those of `c_text::Dialect`.
void add_warpgroup_texts(std::map<std::string, std::string, std::less<>>& calls);

}  // namespace tw::cuda
