/// How values become the bytes between a program and its code generator, and back.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tw {

class MessageWriter {
public:
  void number(uint64_t value) { bytes.append(reinterpret_cast<char const*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes.append(value);
  }
  void real(double value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    number(bits);
  }
  template <typename T>
  void list(std::vector<T> const& values) {
    text({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)});
  }

  std::string bytes;
};

class MessageReader {
public:
  explicit MessageReader(std::string_view bytes) : left_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    std::string_view bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  double real() {
    uint64_t bits = number();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  template <typename T>
  std::vector<T> list() {
    std::string_view bytes = take(number());
    whole_ = whole_ && bytes.size() % sizeof(T) == 0;
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  /// At most `most`, and no less than 0.
  template <typename T>
  T up_to(T most) {
    uint64_t value = number();
    whole_ = whole_ && value <= uint64_t(most);
    return whole_ ? T(value) : T{};
  }
  /// Finite, and no less than 0.
  double amount() {
    double value = real();
    whole_ = whole_ && std::isfinite(value) && value >= 0;
    return whole_ ? value : 0;
  }
  bool is_whole() const { return whole_; }
  /// All was there, and nothing is left.
  bool is_done() const { return whole_ && left_.empty(); }

private:
  std::string_view take(uint64_t count) {
    whole_ = whole_ && count <= left_.size();
    if (!whole_) return {};
    std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  std::string_view left_;
  bool whole_ = true;
};

}  // namespace tw
