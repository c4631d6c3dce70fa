#include "app/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

namespace tw::cli {

Option Option::type_name(std::string const& name) const {
  return Option(*option_->type_name(name));
}

Option Option::option_text(std::string const& text) const {
  return Option(*option_->option_text(text));
}

Option Option::description(std::string const& text) const {
  return Option(*option_->description(text));
}

Option Option::required(bool is) const { return Option(*option_->required(is)); }

Option Option::expected(int count) const { return Option(*option_->expected(count)); }

Option Option::take_all() const { return Option(*option_->take_all()); }

Option Option::allow_extra_args(bool may) const { return Option(*option_->allow_extra_args(may)); }

Option Option::excludes(Option other) const { return Option(*option_->excludes(other.option_)); }

Option Option::excludes(std::string const& other) const {
  return Option(*option_->excludes(other));
}

Option Option::needs(Option other) const { return Option(*option_->needs(other.option_)); }

Option Option::range(int least, int most) const {
  return Option(*option_->check(CLI::Range(least, most)));
}

Option Option::range(double least, double most) const {
  return Option(*option_->check(CLI::Range(least, most)));
}

Option Option::above_zero() const {
  return check([](std::string const& text) -> std::string {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value)) return fmt::format("'{}' is not a number", text);
    return value > 0 ? "" : fmt::format("{} is not above 0", text);
  });
}

Option Option::one_of(std::vector<std::string> const& words) const {
  return Option(*option_->check(CLI::IsMember(words)));
}

Option Option::existing_folder() const { return Option(*option_->check(CLI::ExistingDirectory)); }

Option Option::bytes() const { return Option(*option_->transform(CLI::AsSizeValue(false))); }

Option Option::check(std::function<std::string(std::string const&)> judge) const {
  auto one = [judge = std::move(judge)](std::string& text) { return judge(text); };
  return Option(*option_->check(CLI::Validator(one, "")));
}

size_t Option::count() const { return option_->count(); }

Command Command::add_subcommand(std::string const& name, std::string const& description) const {
  return Command(*command_->add_subcommand(name, description));
}

void Command::require_subcommand(int count) const { command_->require_subcommand(count); }

Option Command::add_flag(std::string const& names, bool& given,
                         std::string const& description) const {
  return Option(*command_->add_flag(names, given, description));
}

Option Command::add_flag_callback(std::string const& names, std::function<void()> given,
                                  std::string const& description) const {
  return Option(*command_->add_flag_callback(names, std::move(given), description));
}

template <typename T>
Option Command::add_option(std::string const& names, T& value,
                           std::string const& description) const {
  return Option(*command_->add_option(names, value, description));
}

#define TW_VALUE_OF_AN_OPTION(type) \
  template Option Command::add_option<type>(std::string const&, type&, std::string const&) const
TW_VALUE_OF_AN_OPTION(int);
TW_VALUE_OF_AN_OPTION(int64_t);
TW_VALUE_OF_AN_OPTION(uint64_t);
TW_VALUE_OF_AN_OPTION(double);
TW_VALUE_OF_AN_OPTION(std::string);
TW_VALUE_OF_AN_OPTION(std::vector<std::string>);
TW_VALUE_OF_AN_OPTION(std::filesystem::path);
#undef TW_VALUE_OF_AN_OPTION

Option Command::get_option(std::string const& name) const {
  return Option(*command_->get_option(name));
}

void Command::optional_operands() const {
  for (CLI::Option* option : command_->get_options())
    if (option->get_positional()) option->required(false);
}

void Command::callback(std::function<void()> run) const { command_->callback(std::move(run)); }

void refuse_options(std::string const& sentence) { throw CLI::ValidationError(sentence); }

}  // namespace tw::cli
