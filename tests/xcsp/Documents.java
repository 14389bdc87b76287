import java.io.FileInputStream;
import org.xcsp.parser.XParser;
import org.xcsp.parser.entries.XVariables.XArray;
import org.xcsp.parser.entries.XVariables.XVar;

/**
 * Gives documents to the official parser and, if they are called *.csp.xml, to the solver ACE: many in one start of Java.
 * Prints, for each file, "FILE path", one line "VAR name domain" a variable, "CONSTRAINTS n", and what ACE prints.
 */
public class Documents {
  static void show(XVar x) {
    if (x != null)
      System.out.println("VAR " + x.id + " " + x.type + " " + x.dom);
  }

  public static void main(String[] files) throws Exception {
    for (String file : files) {
      System.out.println("FILE " + file);
      try (FileInputStream stream = new FileInputStream(file)) {
        XParser parser = new XParser(stream);
        parser.vEntries.forEach(entry -> {
          if (entry instanceof XArray)
            for (XVar x : ((XArray) entry).vars)
              show(x);
          else
            show((XVar) entry);
        });
        System.out.println("CONSTRAINTS " + parser.cEntries.size());
      }
      if (file.endsWith(".csp.xml")) {
        dashboard.Input.loadArguments(file, "-s=all", "-npc");
        main.Head solver = new main.Head();
        solver.start();
        solver.join();
      }
    }
    System.exit(0);
  }
}
