; A ThinLTO summary and use-list orders.
@a = global i32 0
define i32 @main(i32 %x, i32 %y) {
entry:
  %s = add i32 %x, %x
  %t = add i32 %x, %s
  br i1 false, label %then, label %then
then:
  ret i32 %t
  uselistorder i32 %x, { 2, 0, 1 }
  uselistorder label %then, { 1, 0 }
}
declare void @callee()
^0 = module: (path: "summary.o", hash: (1369602428, 2747878711, 259090915, 2507395659, 1141468049))
^1 = gv: (name: "a", summaries: (variable: (module: ^0, flags: (linkage: external, visibility: default, notEligibleToImport: 0, live: 0, dsoLocal: 1, canAutoHide: 0, importType: definition), varFlags: (readonly: 1, writeonly: 1, constant: 0)))) ; guid = 1
^2 = gv: (name: "callee") ; guid = 2
^3 = gv: (name: "main", summaries: (function: (module: ^0, flags: (linkage: external, visibility: default, notEligibleToImport: 1, live: 0, dsoLocal: 0, canAutoHide: 0, importType: definition), insts: 4, funcFlags: (readNone: 0, readOnly: 0, noRecurse: 0, returnDoesNotAlias: 0, noInline: 0, alwaysInline: 0, noUnwind: 0, mayThrow: 0, hasUnknownCall: 0, mustBeUnreachable: 0), calls: ((callee: ^2, hotness: hot, tail: 1)), refs: (readonly ^1))))
^4 = flags: 8
^5 = blockcount: 0
