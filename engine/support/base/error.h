/// Expected failures: a value with a stable code, one sentence, and the place it is about.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tw {

/// Who has to act on the failure; the command line's exit codes follow it.
enum class Fault : uint8_t {
  kRefused,      ///< a check failed or a schedule step is not legal (exit 1)
  kBadInput,     ///< unreadable file, unusable argument (exit 2)
  kEnvironment,  ///< disk full, device lost, time-out (exit 3)
};

/// Where the failure is: a file's line and column (1-based, 0 = unknown) or a graph node's name.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string node;
  bool operator==(Place const&) const = default;
};

struct Error {
  std::string code;     ///< stable, snake_case: "factor_out_of_range"
  std::string message;  ///< one sentence for a person, without place and without final period
  Place place;
  Fault fault = Fault::kBadInput;
  bool operator==(Error const&) const = default;
};

/// "file:3:7: message" or "node conv1: message": the sentence the command line prints.
std::string to_sentence(Error const& error);

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(Fault fault, std::string code, std::string message,
                                   Place place = {}) {
  return std::unexpected(Error{std::move(code), std::move(message), std::move(place), fault});
}
inline std::unexpected<Error> bad_input(std::string code, std::string message, Place place = {}) {
  return fail(Fault::kBadInput, std::move(code), std::move(message), std::move(place));
}
inline std::unexpected<Error> refused(std::string code, std::string message, Place place = {}) {
  return fail(Fault::kRefused, std::move(code), std::move(message), std::move(place));
}
inline std::unexpected<Error> environment_failed(std::string code, std::string message,
                                                 Place place = {}) {
  return fail(Fault::kEnvironment, std::move(code), std::move(message), std::move(place));
}

/// A broken promise of our own code; never reachable by input.
[[noreturn]] void assertion_failed(char const* condition, char const* why, char const* file,
                                   int line);

}  // namespace tw

#define TW_ASSERT(condition, why) \
  ((condition) ? void(0) : ::tw::assertion_failed(#condition, why, __FILE__, __LINE__))

#define TW_CONCAT_INNER(a, b) a##b
#define TW_CONCAT(a, b) TW_CONCAT_INNER(a, b)

/// `TRY(status())` leaves the function with the error, if there is one.
#define TRY(expression)                                      \
  do {                                                       \
    if (auto try_result = (expression); !try_result)         \
      return std::unexpected(std::move(try_result).error()); \
  } while (false)

#define TW_TRY_ASSIGN(temporary, declaration, ...)                      \
  auto temporary = (__VA_ARGS__);                                       \
  if (!temporary) return std::unexpected(std::move(temporary).error()); \
  declaration = std::move(*temporary)

/// `TRY_ASSIGN(Graph graph, open_model(bytes));` one per line.
#define TRY_ASSIGN(declaration, ...) \
  TW_TRY_ASSIGN(TW_CONCAT(try_result_, __LINE__), declaration, __VA_ARGS__)
