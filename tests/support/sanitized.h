/// Whether everything is built with a sanitizer: slower, larger, and not what is given away.
#pragma once

namespace tw::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tw::testing
