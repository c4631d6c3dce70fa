/// Commands and their options, as the files of `commands/` declare them: a door to CLI11, whose
/// header alone takes five seconds of each file that reads it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tw::cli {

/// Of a command, or an operand of it. Each change returns the option itself.
class Option {
public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// What help shows for its value: "FILE".
  Option type_name(std::string const& name) const;
  /// In place of its names and values in help.
  Option option_text(std::string const& text) const;
  Option description(std::string const& text) const;
  Option required(bool is = true) const;
  /// So many values each time that it is given.
  Option expected(int count) const;
  /// Given again, it adds to what was given.
  Option take_all() const;
  /// One value each time, and it may be given again.
  Option repeatable() const { return expected(1).take_all(); }
  /// Whether further words behind its values are values, too.
  Option allow_extra_args(bool may) const;
  Option excludes(Option other) const;
  Option excludes(std::string const& other) const;
  Option needs(Option other) const;

  Option range(int least, int most) const;
  Option range(double least, double most) const;
  Option above_zero() const;
  Option one_of(std::vector<std::string> const& words) const;
  Option existing_folder() const;
  /// A number of bytes may have a unit: 512MB.
  Option bytes() const;
  /// Of each value: what is wrong with it, as a sentence; empty: nothing is.
  Option check(std::function<std::string(std::string const&)> judge) const;

  /// How often it was given.
  size_t count() const;

private:
  CLI::Option* option_;
};

class Command {
public:
  explicit Command(CLI::App& command) : command_(&command) {}

  /// The parser's own, for what is made of all commands: help, manual pages, completion.
  CLI::App& parser() const { return *command_; }

  Command add_subcommand(std::string const& name, std::string const& description) const;
  void require_subcommand(int count) const;
  Option add_flag(std::string const& names, bool& given, std::string const& description) const;
  Option add_flag_callback(std::string const& names, std::function<void()> given,
                           std::string const& description) const;
  /// "--name", or "NAME", which is an operand. A value that does not fit the type is refused.
  template <typename T>
  Option add_option(std::string const& names, T& value, std::string const& description) const;
  Option get_option(std::string const& name) const;
  /// No operand that was declared so far has to be given.
  void optional_operands() const;
  /// Runs when the command was named, after its options were read.
  void callback(std::function<void()> run) const;

private:
  CLI::App* command_;
};

/// Ends the reading of options: what is wrong with those that were given.
[[noreturn]] void refuse_options(std::string const& sentence);

}  // namespace tw::cli
