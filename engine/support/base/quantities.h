/// Numbers as people read them: one spelling for the window, the command line and the engine's
/// sentences.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tw {

/// Three significant digits without an exponent: "0.045", "1.71", "96.4", "1240".
std::string number_text(double value);
/// In the unit in which the number is at least one: "820 ns", "45.0 µs", "1.71 ms", "2.40 s".
std::string duration_text(double seconds);
std::string milliseconds_text(double ms);
/// "512 B", "4.6 KB", "26 MB", "1.5 GB"; a KB is 1024 bytes.
std::string bytes_text(double bytes);
/// Two that are compared: to the byte where they would read alike, "232448 B" and "232452 B".
std::pair<std::string, std::string> bytes_apart(double one, double other);
/// "171 GFLOP/s", "118 GB/s": billions in a second.
std::string speed_text(double billions, std::string const& unit);
/// Of many: "58", "1.24 k", "232 M".
std::string many_text(double count);
/// "1 kernel", "2 kernels".
std::string count_text(int64_t count, std::string const& what);
/// How much less time something takes; `speedup`: the time before over the time after: "93.1 times
/// faster", "1.25 times slower", "as fast" where the digits shown say nothing.
std::string speedup_text(double speedup);
/// "62 %", "0.6 %".
std::string percent_text(double share);

}  // namespace tw
