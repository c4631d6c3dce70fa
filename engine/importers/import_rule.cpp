#include "engine/importers/import_rule.h"

#include <algorithm>

namespace tw {

bool ImportRules::owns(std::string_view domain) const {
  return domain.empty() || std::ranges::find(domains, domain) != domains.end();
}

ImportRule const* find_rule(ImportRules const& rules, std::string_view type,
                            std::string_view domain) {
  bool own = rules.owns(domain);
  for (RuleList const* list : rules.lists)
    for (ImportRule const& rule : *list)
      if (rule.type == type && (rule.domain.empty() ? own : rule.domain == domain)) return &rule;
  return nullptr;
}

}  // namespace tw
