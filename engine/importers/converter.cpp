#include "engine/importers/converter.h"

#include <algorithm>

namespace tw {

bool Converters::owns(std::string_view domain) const {
  return domain.empty() || std::ranges::find(domains, domain) != domains.end();
}

Converter const* find_converter(Converters const& rules, std::string_view type,
                                std::string_view domain) {
  bool own = rules.owns(domain);
  for (ConverterList const* list : rules.lists)
    for (Converter const& rule : *list)
      if (rule.type == type && (rule.domain.empty() ? own : rule.domain == domain)) return &rule;
  return nullptr;
}

}  // namespace tw
